# make: build .venv, then every table and figure on all cores.   make test: the checks.
# make lock VERSION=4.0.0: an engine; FROM=3.3.0 TO=4.0.0: every release between; AUDIT=presets/NAME.yaml: what its code needs.
# make test-unit: those that start no workflow, in less than a minute.
# make report: all of it in report.html.   make test-report: captions and pages against the tables, and a look through it.
# make pages: the tables of docs/ that follow from the code.
# make test-hard: runs killed, disks filled, files rotten, configurations at random, physics falsified.
# make test-implementations: cells in MJX and MuJoCo Warp, and what came out; ten minutes, most of it compiling.
# make bench-implementations: a step of a world in C, MJX and MuJoCo Warp, over the size of the batch, on the device that is there.
# make bench: contactlab timed beside what else could run the same cells.
PYTHON ?= python3
SNAKEMAKE = .venv/bin/snakemake
UV = .venv/bin/python -m uv
INSTALL = $(UV) pip install --quiet --compile-bytecode --require-hashes --no-deps --python
LOCK = $(UV) pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --no-annotate
LOCKS = PYTHONPATH=scripts:workflow .venv/bin/python workflow/lib/audit_locks.py
SUMS = PYTHONPATH=scripts:workflow .venv/bin/python workflow/lib/integrity.py
# A program that fails says why in one line, and what it had half made goes: $(call one-line,command,what goes).
one-line = @echo '$(1)'; said=$$($(1) 2>&1) || \
	{ printf 'make: $@: %s\n' "$$(printf '%s' "$$said" | tr -s '[:space:]' ' ')" >&2; $(if $(2),rm -rf $(2);) exit 1; }
# What Xcode brings as python3 is older than any lock here.
NEW_ENOUGH = import sys; sys.exit(sys.version_info < (3, 11))
# uv builds the executor and the logger by itself: nothing is fetched, and no cache of an earlier build is believed.
PLUGINS = $(wildcard $(foreach plugin,prefork progress,plugins/$(plugin)/pyproject.toml plugins/$(plugin)/README.md plugins/$(plugin)/src/*/*.py))
INSTALL_PLUGINS = $(UV) pip install --quiet --no-index --no-deps --no-cache --reinstall ./plugins/prefork ./plugins/progress --python

PRESETS = $(basename $(notdir $(shell grep -l '^presets:' presets/*.yaml)))
AUDITS = $(basename $(notdir $(shell grep -l '^audits:' presets/*.yaml)))
IMPLEMENTATIONS = $(basename $(notdir $(wildcard envs/mjx-*.in envs/warp-*.in)))
.PHONY: all report test test-unit test-hard test-report test-presets test-audits test-implementations bench-implementations test-slurm lint pages audit bench lock locks sums clean
.DELETE_ON_ERROR:

all: .venv/plugins
	$(SNAKEMAKE) --cores all

report: all
	$(SNAKEMAKE) --report report.html

.venv/ready: envs/workflow.txt envs/uv.txt
	@$(PYTHON) -c '$(NEW_ENOUGH)' 2>/dev/null || \
		{ echo 'make: $(PYTHON) is not Python 3.11 or newer; allowed: one that is, as in make PYTHON=python3.13' >&2; exit 1; }
	$(PYTHON) -m venv --clear .venv
	$(call one-line,.venv/bin/python -m pip install --quiet --require-hashes --no-deps -r envs/uv.txt,.venv)
	$(call one-line,$(INSTALL) .venv -r $<,.venv)
	touch $@

.venv/plugins: .venv/ready $(PLUGINS)
	$(INSTALL_PLUGINS) .venv
	touch $@

# The executor for clusters is not in workflow.txt: importing it makes every start of Snakemake 0.3 s longer.
.venv/slurm: envs/slurm.txt .venv/plugins $(wildcard plugins/slurm-prefork/*.* plugins/slurm-prefork/src/*/*.py)
	$(call one-line,$(INSTALL) .venv -r $<)
	$(UV) pip install --quiet --no-index --no-deps --no-cache --reinstall ./plugins/slurm-prefork --python .venv
	touch $@

.venv-tests/ready: envs/tests.txt .venv/ready
	$(UV) venv --quiet --clear --python .venv/bin/python .venv-tests
	$(call one-line,$(INSTALL) .venv-tests -r $<,.venv-tests)
	touch $@

.venv-tests/plugins: .venv-tests/ready $(PLUGINS)
	$(INSTALL_PLUGINS) .venv-tests
	touch $@

test: .venv-tests/plugins lint
	.venv-tests/bin/python -m pytest
	cd plugins/prefork && ../../.venv-tests/bin/python -m pytest -n auto
	cd plugins/progress && ../../.venv-tests/bin/python -m pytest -n auto

# What starts no workflow, builds no engine and renders little: to be run after each edit.
test-unit: .venv-tests/plugins
	.venv-tests/bin/python -m pytest tests/unit

# The tests of tests/hard with all their seeds; `make test` runs a few of each.
test-hard: .venv-tests/plugins .venv-audit/ready
	.venv-tests/bin/python -m pytest --hard --durations=15 tests/hard

# Known vulnerabilities of what the locks hold, where pip-audit can reach a database of them.
audit: .venv-tests/plugins .venv-audit/ready
	.venv-tests/bin/python -m pytest --hard -rs tests/hard/test_supply.py -k vulnerability

.venv-audit/ready: envs/audit.txt .venv/ready
	$(UV) venv --quiet --clear --python .venv/bin/python .venv-audit
	$(call one-line,$(INSTALL) .venv-audit -r $<,.venv-audit)
	touch $@

test-report: report .venv-tests/plugins
	.venv-tests/bin/python -m pytest -rs $(addprefix tests/workflow/test_,report.py pages.py report_browser.py page.py)

# All presets, and their captions against their tables; `make test` makes those that take seconds.
test-presets: .venv/plugins .venv-tests/plugins
	$(SNAKEMAKE) --cores all $(PRESETS) --configfile $(PRESETS:%=presets/%.yaml)
	.venv-tests/bin/python -m pytest -rs tests/workflow/test_presets.py

# All shipped audits, and their captions against their tables; `make test` makes the small ones.
test-audits: .venv/plugins .venv-tests/plugins
	$(SNAKEMAKE) --cores all $(AUDITS) --configfile $(AUDITS:%=presets/%.yaml)
	.venv-tests/bin/python -m pytest -rs tests/workflow/test_shipped_audits.py

# MJX and MuJoCo Warp, each from its lock, and the page's numbers against the table.
test-implementations: .venv/plugins .venv-tests/plugins
	$(SNAKEMAKE) --cores all figures/implementations.png
	.venv-tests/bin/python -m pytest -rs tests/workflow/test_implementations_made.py

# On a Slurm of one node that the test starts and stops; Debian's packages are installed where they are missing.
test-slurm: .venv/slurm
	.venv/bin/python tests/slurm/compare.py

lint: .venv-tests/plugins
	.venv-tests/bin/ruff check .
	.venv-tests/bin/ruff format --check .
	PYTHONPATH=scripts:workflow .venv-tests/bin/lint-imports --no-cache --no-logo
	.venv-tests/bin/snakefmt --check Snakefile workflow
	.venv-tests/bin/python tests/lint_rules.py
	.venv-tests/bin/mkdocs build --strict
	.venv-tests/bin/check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/*.yml

# The tables of the pages that follow from the code.
pages: .venv/ready
	PYTHONPATH=scripts:workflow .venv/bin/python docs/pages.py

.venv-bench/ready: envs/bench.txt .venv/ready
	$(UV) venv --quiet --clear --python .venv/bin/python .venv-bench
	$(call one-line,$(INSTALL) .venv-bench -r $<,.venv-bench)
	touch $@

# What is committed is measured, `make test` too. Needs a quiet machine, some twenty minutes of it.
bench: .venv/plugins .venv-bench/ready
	PYTHONPATH=scripts:workflow .venv/bin/python benchmarks/bench.py --others .venv-bench --out results/bench.csv --aims results/bench_aims.csv
	PYTHONPATH=scripts .venv/bin/python benchmarks/bench_figure.py --table results/bench.csv --aims results/bench_aims.csv \
		--before benchmarks/before.csv --png figures/bench.png --svg figures/bench.svg

# With wheels for CUDA: make bench-implementations BENCHED="3.17.0 mjx-3.17.0-cuda warp-3.17.0". The table says on which device.
BENCHED ?= 3.17.0 mjx-3.17.0 warp-3.17.0
bench-implementations: .venv/plugins
	$(SNAKEMAKE) --cores all $(BENCHED:%=.engines/%/engine.json)
	PYTHONPATH=scripts:workflow .venv/bin/python benchmarks/implementations_bench.py --engines $(BENCHED) --out results/bench_implementations.csv

# The locks hold versions and hashes for every system and Python from 3.11 on, and no address.
locks: .venv/ready
	$(LOCK) envs/workflow.in -o envs/workflow.txt
	echo uv | $(LOCK) - -c envs/workflow.txt -o envs/uv.txt
	$(LOCK) envs/tests.in -c envs/workflow.txt -o envs/tests.txt
	$(LOCK) envs/slurm.in -c envs/workflow.txt -o envs/slurm.txt
	$(LOCK) envs/bench.in -o envs/bench.txt
	$(LOCK) envs/audit.in -o envs/audit.txt
	$(foreach lock,$(IMPLEMENTATIONS),$(LOCK) envs/$(lock).in -o envs/$(lock).txt &&) true
	$(SUMS)

lock: .venv/ready
	@test -n "$(VERSION)$(and $(FROM),$(TO))$(AUDIT)" || { echo "usage: make lock VERSION=3.17.0, FROM=3.3.0 TO=4.0.0 or AUDIT=FILE" >&2; exit 1; }
	$(if $(VERSION),$(call one-line,echo mujoco==$(VERSION) | $(LOCK) - -o envs/mujoco-$(VERSION).txt))
	@$(if $(FROM)$(AUDIT),$(LOCKS) $(if $(FROM),--between $(FROM) $(TO)) $(if $(AUDIT),--audits $(AUDIT)))
	$(SUMS)

# The workflow refuses a lock or a published number that is not the one listed.
sums: .venv/ready
	$(SUMS)

clean:
	rm -rf .venv .venv-tests .venv-bench .venv-audit .engines .snakemake .site logs
