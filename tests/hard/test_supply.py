"""What the locks promise: no other download, nothing else needed, and of a failure one line and nothing half made."""

import json
import os
import re
import subprocess
import sys

import pytest
from conftest import PROJECT, SMALL, Workflow

LOCKS = sorted(path.name for path in (PROJECT / "envs").glob("*.txt"))
NO_DEPENDENCIES = ("so101.txt", "so101-menagerie.txt", "widowx.txt", "dm_control.txt")  # models: nothing of these packages runs
PLATFORMS = [
    (platform, python)
    for platform in ("x86_64-unknown-linux-gnu", "aarch64-unknown-linux-gnu", "aarch64-apple-darwin")
    for python in ("3.11", "3.13")
]
CLOSED = "http://127.0.0.1:9"
OFFLINE = dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy"), CLOSED)
OFFLINE |= {"UV_HTTP_RETRIES": "0", "PIP_RETRIES": "0", "PIP_NO_CACHE_DIR": "1", "PIP_FIND_LINKS": ""}

# What is made, with what, from which lock, and what must not be there after it has failed.
ENGINE = ("snakemake .engines/3.17.0/engine.json", "mujoco-3.17.0.txt", ".engines/3.17.0")
ROBOT = ("snakemake results/models/so101/provenance.json", "so101.txt", "results/models/so101")
VENV_BY_PIP = ("make .venv/ready", "uv.txt", ".venv")
VENV_BY_UV = ("make .venv/ready", "workflow.txt", ".venv")
MADE = [ENGINE, ROBOT, VENV_BY_PIP, VENV_BY_UV]


def make(workflow: Workflow, command: str, environment: dict | None = None) -> str:
    """What a command that fails says."""
    program, *arguments = command.split()
    if program == "snakemake":
        done = workflow.run(*arguments, env=os.environ | (environment or {}))
    else:
        env = os.environ | {"PYTHON": sys.executable} | (environment or {})
        done = subprocess.run(
            [program, *arguments], cwd=workflow.folder, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
    assert done.returncode, done.stdout
    assert "Traceback" not in done.stdout
    return done.stdout


def told(output: str, text: str) -> str:
    """The one line that says why."""
    [line] = {line.strip() for line in output.splitlines() if re.search(text, line)}
    return line


@pytest.mark.seeds(short=1, hard=len(MADE))
def test_a_download_with_another_hash_is_refused(bare, seed):
    """The first package's hashes are others, and SHA256SUMS lists the lock so: someone meant it."""
    command, lock, left = MADE[seed]
    text = (bare.folder / "envs" / lock).read_text(encoding="utf-8")
    package = re.search(r"^([\w.-]+==[\w.]+)", text, re.MULTILINE)[1]
    block, following = re.split(r"\n(?=\w)", text, maxsplit=1) if re.search(r"\n\w", text) else (text, "")
    swapped = re.sub(r"sha256:(.{8})(.{8})", r"sha256:\2\1", block)
    assert swapped != block
    (bare.folder / "envs" / lock).write_text("\n".join(filter(None, [swapped, following])), encoding="utf-8")
    bare.list_sources()
    bare.configure(SMALL)
    said = make(bare, command, {"UV_CACHE_DIR": str(bare.folder / "empty"), "PIP_NO_CACHE_DIR": "1"})
    line = told(said, rf"{re.escape(package)}.*")
    assert re.search("hash", line, re.IGNORECASE)
    assert not (bare.folder / left).exists()


@pytest.mark.seeds(short=0, hard=len(MADE) - 1)
def test_without_a_network_one_line_says_so(bare, seed):
    command, _, left = MADE[seed]
    bare.configure(SMALL)
    said = make(bare, command, OFFLINE | {"UV_CACHE_DIR": str(bare.folder / "empty cache")})
    told(said, r"cannot be reached|Connection refused|No matching distribution")
    assert not (bare.folder / left).exists()


def test_an_engine_that_does_not_exist_is_refused_and_cannot_be_locked(workflow):
    workflow.configure(SMALL | {"stepping": {"engine": "99.0.0"}})
    said = make(workflow, "snakemake --dry-run")
    assert told(said, "allowed").startswith("config.stepping.engine is 99.0.0, which has no lock in envs/; allowed: 3.3.0, ")
    (workflow.folder / ".venv").symlink_to(sys.prefix)
    said = make(workflow, "make --old-file=.venv/ready lock VERSION=99.0.0")
    assert told(said, "no version").startswith("make: lock: ")
    assert not (workflow.folder / "envs/mujoco-99.0.0.txt").exists()


def test_a_lock_that_nobody_listed_is_refused(workflow):
    (workflow.folder / "envs/mujoco-3.16.0.txt").write_text("mujoco==3.16.0\n", encoding="utf-8")
    workflow.configure(SMALL)
    said = make(workflow, "snakemake --dry-run")
    assert told(said, "make sums").startswith("envs/mujoco-3.16.0.txt is not the file that SHA256SUMS lists; ")


def test_the_sums_are_those_of_the_committed_files():
    assert (
        subprocess.run(["sha256sum", "--check", "--strict", "--quiet", "SHA256SUMS"], cwd=PROJECT, check=False).returncode == 0
    )
    listed = [line.split()[1] for line in (PROJECT / "SHA256SUMS").read_text(encoding="utf-8").splitlines()]
    assert set(listed) >= {f"envs/{name}" for name in LOCKS} | {"workflow/published/claims.csv"}


@pytest.mark.parametrize("lock", [name for name in LOCKS if name not in NO_DEPENDENCIES])
@pytest.mark.seeds(short=0, hard=len(PLATFORMS))
def test_a_lock_holds_all_that_it_needs(lock, tmp_path, seed):
    """With hashes required of everything, uv refuses a requirement that the lock does not hold."""
    platform, python = PLATFORMS[seed]
    if "cuda" in lock and "linux" not in platform:
        pytest.skip("CUDA is had on Linux alone")
    if lock.startswith("warp"):  # whose wheel for ARM needs a newer glibc than that name stands for
        platform = platform.replace("aarch64-unknown-linux-gnu", "aarch64-manylinux_2_34")
    options = ["--dry-run", "--require-hashes", "--python-platform", platform, "--python-version", python]
    text = (PROJECT / "envs" / lock).read_text(encoding="utf-8")
    if "whatever it and what it needs say of mujoco" in text:
        (tmp_path / "overrides.txt").write_text(re.search(r"^mujoco==(.|\n)*?\n(?=\S)", text, re.MULTILINE)[0])
        options += ["--overrides", str(tmp_path / "overrides.txt")]
    command = [sys.executable, "-m", "uv", "pip", "install", *options, "--target", str(tmp_path), "-r", f"envs/{lock}"]
    done = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("lock", LOCKS)
@pytest.mark.seeds(short=0, hard=1)
def test_no_locked_version_has_a_known_vulnerability(lock, seed):
    program = PROJECT / ".venv-audit/bin/pip-audit"
    if not program.exists():
        pytest.skip("pip-audit is not there: make .venv-audit/ready")
    command = [
        program,
        "--progress-spinner",
        "off",
        "--disable-pip",
        "--require-hashes",
        "--format",
        "json",
        "-r",
        f"envs/{lock}",
    ]
    done = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, check=False)
    if not done.stdout.strip():
        pytest.skip(f"pip-audit did not answer: {done.stderr.strip().splitlines()[-1]}")
    audited = json.loads(done.stdout)["dependencies"]
    assert not {item["name"]: item["vulns"] for item in audited if item.get("vulns")}
    missing = [item["name"] for item in audited if "skip_reason" in item]
    if missing:
        pytest.skip(f"pip-audit's database does not tell of {len(missing)} of {len(audited)} packages")
