"""Engines of another architecture: their names, what stops them, and the table beside the published numbers."""

import platform
import shutil
import sys

import pandas as pd
import pytest
from conftest import CLAIMS, DECLARATIONS, EMULATED, ENVS, OTHER, SCHEMA, changed, published_table, refusal

from lib import checks, locks, provenance
from records import architectures, engines
from records.ledger import ledger


@pytest.fixture
def qemu_of(monkeypatch):
    """Makes a machine of one architecture out of this one, with all programs or without one of them."""

    def change(machine: str, without: str = "", system: str = "linux") -> None:
        monkeypatch.setattr(platform, "machine", lambda: machine)
        monkeypatch.setattr(sys, "platform", system)
        monkeypatch.setattr(shutil, "which", lambda program: None if program == without else f"/usr/bin/{program}")

    return change


@pytest.mark.parametrize(
    ("engine", "parts"),
    [
        ("3.17.0", ("3.17.0", "")),
        ("3.17.0-aarch64", ("3.17.0", "aarch64")),
        ("4.0.0-x86_64", ("4.0.0", "x86_64")),
    ],
)
def test_an_engine_is_a_version_and_perhaps_an_architecture(engine, parts):
    assert engines.split(engine) == parts
    assert locks.of_engine(ENVS, engine).name == f"mujoco-{parts[0]}.txt"


@pytest.mark.parametrize(
    ("machine", "without", "engine", "expected"),
    [
        ("x86_64", "qemu-aarch64-static", "3.17.0", None),
        ("x86_64", "", "3.17.0-aarch64", None),
        ("aarch64", "", "3.17.0-x86_64", None),
        ("aarch64", "", "3.17.0-aarch64", "which is this machine's own architecture; allowed: 3.17.0"),
        (
            "x86_64",
            "qemu-aarch64-static",
            "3.17.0-aarch64",
            "needs qemu-aarch64-static; allowed: 3.17.0, or 3.17.0-aarch64 once",
        ),
        ("aarch64", "qemu-x86_64-static", "3.17.0-x86_64", "once Debian's package qemu-user-static is installed"),
        ("x86_64", "apt-get", "3.17.0-aarch64", "needs apt-get; allowed: "),
        ("x86_64", "dpkg-deb", "3.17.0-aarch64", "once Debian's package dpkg is installed"),
    ],
)
def test_what_keeps_an_engine_from_running_is_one_line(qemu_of, machine, without, engine, expected):
    qemu_of(machine, without)
    assert (expected or "None") in str(engines.hindrance(engine))
    if expected:
        line = refusal(changed("drop.sweeps.timestep.engine", [engine]))
        assert line == f"config.drop.sweeps.timestep.engine is {engine}, {engines.hindrance(engine)}"


@pytest.mark.parametrize(
    ("engine", "expected"),
    [
        ("3.17.0-aarch64", "which is this machine's own architecture; allowed: 3.17.0"),
        ("3.17.0-x86_64", "which only Linux can emulate; allowed: 3.17.0"),
    ],
)
def test_a_mac_calls_its_architecture_by_another_name_and_emulates_none(qemu_of, engine, expected):
    qemu_of("arm64", system="darwin")
    assert engines.own_architecture() == "aarch64"
    assert engines.hindrance(engine) == expected


@pytest.mark.parametrize(
    ("key", "value", "expected"),
    [
        ("drop.sweeps.timestep.engine", ["3.17.0-arm"], "engine[0] is '3.17.0-arm'; allowed: a version such as 3.17.0"),
        ("drop.sweeps.timestep.engine", ["2.0.0-aarch64"], "engine is 2.0.0-aarch64, which has no lock in envs/; allowed: "),
        ("drop.sweeps.integrators.engine", ["3.11.0-aarch64"], "is discrete, which MuJoCo 3.11.0 lacks; allowed: 3.13.0"),
        ("architectures.engine", "3.17.0", "config.architectures.engine is '3.17.0'; allowed: a version and an architecture"),
        (
            "architectures",
            {"engine": "3.11.0-aarch64", "drop": ["integrators"]},
            "integrator is discrete, which MuJoCo 3.11.0 lacks; allowed: 3.13.0",
        ),
        ("architectures.drop", ["thick"], "architectures.drop is thick, which is no sweep; allowed: timestep, integrators"),
        ("architectures.marginal", {"pick": [{"nu": [1]}]}, "marginal.pick[0] has the unknown key 'nu'; allowed: mu"),
        ("architectures.marginal", {"drop": []}, "architectures.marginal has the unknown key 'drop'; allowed: pick"),
        ("architectures.pick", [], "config.architectures.pick is []; allowed: 1 or more"),
        ("drop.sweeps", {"architectures": {"engine": ["3.17.0"], "dt_ms": [2]}}, "has the name 'architectures'; allowed: "),
    ],
)  # fmt: skip
def test_a_fault_is_one_line(qemu_of, key, value, expected):
    qemu_of("x86_64")
    assert expected in refusal(changed(key, value))


def test_the_configuration_is_read_where_nothing_can_be_emulated(qemu_of):
    """Only a run that uses the other architecture needs QEMU."""
    qemu_of("aarch64", "qemu-x86_64-static")
    assert checks.checked(changed("max_cells", 20000), SCHEMA, ENVS)["architectures"]["engine"] == "3.17.0-aarch64"


def test_emulation_is_part_of_the_machine():
    own, other = provenance.machine(), provenance.machine(OTHER)
    assert own != other
    assert other == own.replace("machine ", f"machine {OTHER} by qemu-user on ")


def summary(engine: str, **counts: list) -> pd.DataFrame:
    """A summary of the picks at mu 0.005 and of those of 0.45 kg, with the counts of both."""
    axes = {"sweep": ["friction", "mass"], "engine": engine, "mu": [0.005, 0.3], "mass_kg": [0.03, 0.45], "cap_Nm": 0.5}
    return pd.DataFrame(axes | {"successes": counts["held"], "n": 10, "outcome": "mixed"} | counts)


def test_published_rows_stand_beside_those_of_each_architecture():
    """Lesson 16 prints 0 held, 10 not closed and 10 flung at mu 0.005 (A), and 16.47 N and "dropped" at 0.45 kg (C)."""
    columns = published_table("columns").drop(columns="case")
    published = pd.DataFrame(CLAIMS).merge(columns, on=["document", "section", "quantity"])
    measured = {"held": [1, 0], "not_closed": [2, 3], "dropped": [7, 7], "flung": [8, 0], "squeeze_N": [14.5, 16.5]}
    own, other = (summary(engine, **measured) for engine in ("3.17.0", EMULATED))
    found = {EMULATED: {"grasp_summary": other, "grasp_converged": other.assign(iterations=100)}}
    found |= {"3.17.0": {"grasp_summary": own, "grasp_converged": own.assign(iterations=100)}}
    experiments = dict.fromkeys(found[EMULATED], DECLARATIONS["pick"])
    table = architectures.architectures(found, experiments, published)
    assert "iterations" not in table
    architecture = ["published", OTHER, engines.own_architecture(), OTHER, engines.own_architecture()]
    assert list(table["architecture"]) == architecture * 2
    assert list(table["solver"]) == ["stock", "stock", "stock", "converged", "converged"] * 2
    slippery, heavy = (table[table["sweep"] == sweep].iloc[0] for sweep in ("friction", "mass"))
    names = ["n", "held", "not_closed", "dropped", "flung"]
    assert list(slippery[names]) == [10, 0, 10, 0, 10]
    assert pd.isna(slippery["squeeze_N"])
    assert list(heavy[names[:-1]]) == [10, 0, 0, 10]
    assert pd.isna(heavy["flung"])
    assert heavy["squeeze_N"] == 16.47
    assert list(table.loc[table["architecture"] == OTHER, "held"]) == [1, 1, 0, 0]
    assert set(table.loc[table["architecture"] == OTHER, "verdict"]) == {"same digits"}
    assert table.loc[table["architecture"] != OTHER, "verdict"].isna().all()
    assert list(table["published_verdict"].dropna()) == ["changed"] * 4
    assert "squeeze_N moved" in table["published_changed_measures"].dropna().iloc[-1]  # 16.50 beside 16.47


def test_a_measured_number_is_compared_with_a_published_one_at_its_digits():
    told = {"squeeze_N": "16.5", "held": "10", "outcome": "held", "close_time_s": "none", "engine": "3.17.0"}
    row = {"squeeze_N": 16.4999, "held": 10.0, "outcome": "held", "close_time_s": None, "flung": 3}
    assert architectures.against_published(row, told)["published_verdict"] == "same digits"
    moved = architectures.against_published(row | {"squeeze_N": 16.449}, told)
    assert (moved["published_verdict"], moved["published_changed_measures"]) == ("moved", "squeeze_N moved")
    assert architectures.against_published(row | {"close_time_s": 1.0}, told)["published_verdict"] == "changed"


def test_the_ledger_has_a_verdict_for_the_emulated_engine():
    """Table A's row at mu 0.005 prints 10 picks not closed; the drop tables have not been made there."""
    columns = published_table("columns")
    claims = [claim for claim in CLAIMS if claim["document"] != "grasp" or claim["quantity"] in ("not_closed", "squeeze")]
    counts = {"held": [0, 0], "dropped": [7, 10], "flung": [8, 0], "squeeze_N": [14.5, 16.5]}
    own, other = (
        {"grasp_summary": summary(engine, not_closed=[closed, 0], **counts)}
        for engine, closed in (("3.17.0", 3), (EMULATED, 10))
    )
    table = ledger(pd.DataFrame(claims), columns, own, {}, other)
    assert len(table) == len(claims)
    emulated = ["emulated_engine", "emulated_measured", "emulated_verdict"]
    [row] = table[(table["case"] == "mu=0.005;mass=0.03;cap=0.5") & (table["quantity"] == "not_closed")].to_dict("records")
    assert (row["measured"], row["verdict"]) == ("3", "differs")
    assert [row[name] for name in emulated] == [EMULATED, "10", "exact"]
    assert (table.loc[table["document"] != "grasp", emulated] == "").all(axis=None)
    alone = ledger(pd.DataFrame(claims), columns, own, {})
    assert (alone[emulated] == "").all(axis=None)
    assert alone.drop(columns=emulated).equals(table.drop(columns=emulated))
