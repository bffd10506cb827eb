"""Other implementations: their engines and locks, what they lack, their batches, and the table beside C. None is needed."""

import copy
import re

import implementations_figure
import pandas as pd
import pytest
from conftest import DECLARATIONS, ENVS, FILLED, PROJECT, PUBLISHED, SCHEMA, changed, refusal
from snakemake.exceptions import WorkflowError

from lib import checks, implementations, locks, provenance, schema
from lib.plan import Plan
from records import engines, files, implementation_tables, script
from records import implementations as lacking

DEFAULTS = schema.defaults(SCHEMA, "drop")
PROGRAMS = ["mjx-3.17.0", "warp-3.17.0", "warp-4.0.0"]


def plan_of(config: dict) -> Plan:
    return Plan(PROJECT, checks.checked(config, SCHEMA, ENVS), SCHEMA)


@pytest.mark.parametrize(
    ("engine", "name", "version"),
    [
        ("mjx-3.17.0", "mjx", "3.17.0"),
        ("mjx-3.17.0-cuda", "mjx", "3.17.0"),
        ("warp-4.0.0", "warp", "4.0.0"),
        ("3.17.0", "", "3.17.0"),
    ],
)
def test_an_implementation_stands_before_its_version_and_has_a_lock_of_its_own(engine, name, version):
    assert engines.implementation(engine) == name
    assert engines.split(engine) == (version, "")
    assert locks.of_engine(ENVS, engine).name == (f"{engine}.txt" if name else "mujoco-3.17.0.txt")


@pytest.mark.parametrize(
    ("engine", "named"),
    [
        ("mjx-3.17.0", ["jax", "jaxlib", "mujoco", "mujoco-mjx"]),
        ("mjx-3.17.0-cuda", ["jax", "jaxlib", "jax-cuda12-plugin", "jax-cuda12-pjrt", "mujoco-mjx"]),
        ("warp-3.17.0", ["mujoco", "mujoco-warp", "warp-lang"]),
        ("warp-4.0.0", ["mujoco", "mujoco-warp", "warp-lang"]),
    ],
)
def test_the_locks_name_the_programs_and_hash_all_that_they_hold(engine, named):
    lock = locks.of_engine(ENVS, engine)
    assert set(named) <= provenance.locked_versions(lock).keys()
    pinned = re.split(r"\n(?=[a-z])", lock.read_text(encoding="utf-8").strip())
    assert [line for line in pinned if "--hash=sha256:" not in line] == []
    assert provenance.locked_versions(lock)["mujoco"] == engines.split(engine)[0]


@pytest.mark.parametrize(
    ("engine", "cell", "said"),
    [
        ("mjx-3.17.0", {"integrator": "implicit"}, "integrator is implicit, and mjx-3.17.0 has no step for it"),
        (
            "mjx-3.17.0",
            {"integrator": "discrete"},
            "says so of discrete only when it is compiled; allowed: Euler, RK4, implicitfast",
        ),
        (
            "mjx-3.17.0",
            {"noslip_iterations": 5},
            "noslip_iterations is 5, and mjx-3.17.0 accepts it and never reads it; allowed: 0",
        ),
        ("mjx-3.17.0", {"solver": "PGS"}, "solver is PGS, and mjx-3.17.0 does not have it; allowed: Newton, CG"),
        ("mjx-3.17.0", {"cone": "elliptic", "condim": 1}, "cone is elliptic, and mjx-3.17.0 has it only without condim=1"),
        ("warp-3.17.0", {"solver": "PGS"}, "solver is PGS, and warp-3.17.0 does not have it; allowed: Newton, CG"),
        ("warp-3.17.0", {"integrator": "discrete", "noslip_iterations": 5}, "has it only without noslip_iterations=5"),
    ],
)
def test_what_an_implementation_lacks_is_told_by_name(engine, cell, said):
    assert said in lacking.hindrance(engine, DEFAULTS | cell)


@pytest.mark.parametrize("engine", PROGRAMS)
def test_what_is_published_lacks_nothing_but_where_it_is_said(engine):
    assert lacking.hindrance(engine, DEFAULTS) == ""
    assert lacking.hindrance("warp-3.17.0", DEFAULTS | {"integrator": "discrete"}) == ""


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("drop.mine", {"dt_ms": [2], "noslip_iterations": [0, 5]}, "noslip_iterations is 5, and mjx-3.17.0 accepts it and"),
        ("drop.mine", {"dt_ms": [2], "integrator": ["discrete"]}, "mine.integrator is discrete, and mjx-3.17.0 has no step"),
        ("drop.mine", {"tilt_rad": [0.1]}, "config.implementations.drop.mine has no dt_ms; allowed: a list of values for it"),
        ("drop.mine", {"dt_ms": [2], "engine": ["3.17.0"]}, "mine has the unknown key 'engine'; allowed: dt_ms, integ"),
        ("drop.mine", {}, "drop.mine names no axis and is no sweep of drop; allowed: timestep, integrators, or a grid"),
        ("engines", {"mjx-3.16.0": {"dtype": ["float32"]}}, "has mjx-3.16.0, which has no lock in envs/; allowed: mjx-"),
        ("engines", {"newton-1.0.0": {"dtype": ["float32"]}}, "allowed: mjx or warp and a version, such as mjx-3.17.0"),
        ("engines", {"warp-3.17.0": {"dtype": ["float32"]}}, "engines.warp-3.17.0 has dtype; allowed: nativeccd"),
        ("engines", {"mjx-3.17.0": {"dtype": ["float16"]}}, "dtype[0] is 'float16'; allowed: float32, float64"),
    ],
)  # fmt: skip
def test_a_wrong_comparison_is_one_line_before_any_job(key, value, said):
    assert said in refusal(changed(f"implementations.{key}", value))


def test_a_configuration_without_the_key_compares_nothing():
    config = {name: part for name, part in copy.deepcopy(PUBLISHED).items() if name != "implementations"}
    plan = plan_of(config)
    assert implementations.batches(plan, "drop") == []
    with pytest.raises(WorkflowError, match="nothing left"):
        implementations.compared_cells(plan)


def test_a_batch_is_what_shares_a_static_model():
    """Euler's timesteps, solrefs and tilts are one program; each other integrator is one more."""
    batches = implementations.batches(Plan(PROJECT, FILLED, SCHEMA), "drop")
    assert sorted(map(len, batches)) == [5, 5, 5, 105]
    assert sum(map(len, batches)) == len({cell for batch in batches for cell in batch})


def test_a_cell_more_makes_another_batch_of_its_own_and_of_no_other():
    """What a batch's job depends on is its cells, so that none but the batch with the new cell is run again."""
    plain = plan_of(PUBLISHED)
    more = plan_of(changed("drop.sweeps.integrators.dt_ms", [1, 2, 8, 10, 25, 5]))
    before, after = (
        [implementations.batch_words(plan, "drop", batch) for batch in implementations.batches(plan, "drop")]
        for plan in (plain, more)
    )
    kept = [words for words in before if words in after]
    assert [words for words in before if words not in kept] != []
    euler = changed("implementations.drop.tilted.tilt_rad", [0, 0.1, 0.2, 0.3, 0.5, 0.785, 0.4])
    after = [
        implementations.batch_words(plan_of(euler), "drop", batch) for batch in implementations.batches(plan_of(euler), "drop")
    ]
    assert len([words for words in before if words in after]) == 3


def test_what_an_implementation_lacks_never_becomes_a_job():
    plan = Plan(PROJECT, FILLED, SCHEMA)
    cells = implementations.compared_cells(plan)
    assert [cell for cell in cells if "discrete" in cell and "mjx" in cell] == []
    assert [cell for cell in cells if "discrete" in cell and "warp-3.17.0" in cell] != []
    [batch] = [batch for batch in implementations.batches(plan, "drop") if "integrator=discrete" in batch[0]]

    class Wildcards:
        engine = "mjx-3.17.0"

    with pytest.raises(WorkflowError, match="integrator is discrete, and mjx-3\\.17\\.0 has no step for it"):
        implementations.models(plan, "drop", batch)(Wildcards())


RESULT = {
    "outcome": "kept", "failure_mode": "none", "side": "above", "first_overlap_centre_m": 0.31994, "lowest_centre_m": 0.29603,
    "first_contact_time_s": 0.448, "first_contacts": 4, "most_contacts": 4,
}  # fmt: skip
APART = {"largest_apart_m": 1e-6, "largest_apart_time_s": 0.5, "largest_turn_rad": 0.0}
MADE = {"batch": 30, "collisions": "all", "contacts_reserved": 8, "overflow": [], "backend": "cpu", "device": "cpu"}


@pytest.fixture
def written(tmp_path):
    """written(result, digest, **settings) writes a cell of an implementation beside C's, and gives the row of the table."""

    def write(result: dict, digest: str = "a", engine: str = "mjx-3.17.0", **settings) -> dict:
        own, there = tmp_path / "drop/3.17.0/dt_ms=2.json", tmp_path / "implementations/drop/cell/dt_ms=2.json"
        c = {"settings": DEFAULTS | {"dt_ms": 2} | settings, "result": RESULT | {"digest": "a"}}
        files.write_json(own, c)
        record = {"result": RESULT | APART | result, "reference": RESULT | {"digest": digest}, "implementation": MADE}
        files.write_json(there, record)
        return implementation_tables.row(own, there, engine, DECLARATIONS["drop"]["measures"])

    return write


def test_a_cell_is_compared_by_what_is_printed_and_not_by_bits(written):
    assert written({"lowest_centre_m": 0.296031})["verdict"] == "same digits"
    row = written({"lowest_centre_m": 0.2962})
    assert (row["verdict"], row["changed_measures"]) == ("moved", "lowest_centre_cm moved")


def test_another_end_is_a_change_whatever_the_distance(written):
    row = written({"outcome": "passed", "failure_mode": "too soft", "first_contacts": 2})
    assert row["verdict"] == "changed"
    assert (row["outcome"], row["c_outcome"], row["first_contacts"], row["c_first_contacts"]) == ("passed", "kept", 2, 4)


def test_the_table_says_whether_c_beside_it_is_the_experiments_own_run(written):
    assert written({})["c_same_bits"]
    assert not written({}, digest="b")["c_same_bits"]


def test_a_cell_that_cannot_run_has_a_reason_and_no_measures(written):
    row = written({}, integrator="discrete")
    assert row["verdict"] == "cannot run"
    assert row["reason"].startswith("integrator is discrete, and mjx-3.17.0 has no step for it")
    assert "outcome" not in row


def test_the_figure_rings_what_ends_otherwise_than_in_c(written, tmp_path, monkeypatch):
    """One ring for the one cell of Warp that goes through, none for what cannot run."""
    through = written({"outcome": "passed", "failure_mode": "too soft"}, engine="warp-3.17.0")
    lacking_one = written({}, integrator="discrete")
    named = [
        {"sweep": "timestep", "cell": "dt_ms=2", "engine": "warp-3.17.0", "option": "nativeccd=enable"} | through,
        {"sweep": "timestep", "cell": "dt_ms=2", "engine": "mjx-3.17.0", "option": "dtype=float64"} | lacking_one,
    ]
    table = pd.DataFrame([{"experiment": "drop"} | row for row in named], columns=implementation_tables.COLUMNS)
    path, png, svg = (tmp_path / name for name in ("table.csv", "figure.png", "figure.svg"))
    table.to_csv(path, index=False)
    rings = []
    plain = implementations_figure.Axes.scatter

    def counting(axes, *place, **look):
        rings.extend([place] if look.get("facecolor") == "none" else [])
        return plain(axes, *place, **look)

    monkeypatch.setattr(implementations_figure.Axes, "scatter", counting)
    monkeypatch.setattr("sys.argv", ["figure", "--table", str(path), "--png", str(png), "--svg", str(svg)])
    script.run(implementations_figure.main)
    assert len(rings) == 1
    assert png.stat().st_size > 10_000
