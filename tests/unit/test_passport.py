"""Passports: what they hold, the table that compares two of them, and which cells are measured again."""

import dataclasses
import json
import sys
from decimal import Decimal

import pandas as pd
import passport_diff
import passport_figure
import pytest
from conftest import CLAIMS, DECLARATIONS, PROJECT, SCHEMA, changed, drop_scene, refusal, rows
from hypothesis import given
from hypothesis import strategies as st

from contactlab import drop
from lib import provenance
from records import files, passport, printed, verdicts
from records.ledger import as_printed

PICK = "pick/3.17.0/mu=0.05,mass_kg=0.03,cap_Nm=0.5,position=0"
HELD = passport.from_line(
    "digest=aaaaaaaaaaaaaaaa,outcome=held,flung=false,lift_cm=7.37,squeeze_N=13.30,steps=2287,squeeze_N_band=12.77..13.91"
)


def test_the_table_has_every_cell_of_either_and_what_differs():
    moved = dataclasses.replace(HELD, words=HELD.words | {"squeeze_N": "14.00"}, digest="b" * 16, bands={})
    pairs = ((HELD, moved), (HELD, None), (None, HELD))
    found = [passport_diff.diff_row(PICK, *pair, DECLARATIONS) for pair in pairs]
    assert [row["verdict"] for row in found] == ["moved", "not there", "not here"]
    assert (found[0]["here"], found[0]["there"]) == ("squeeze_N 13.30", "squeeze_N 14.00")
    assert found[0]["changed_measures"] == "squeeze_N moved 0.614 widths"  # 0.70 / 1.14
    assert (found[0]["experiment"], found[0]["mujoco"], found[0]["cell"]) == tuple(PICK.split("/"))


def side(cells: dict, **code: str) -> dict:
    """A passport as it is loaded."""
    return {"machine": "a machine", "code": code, "cells": cells}


def test_each_row_has_the_code_that_measured_its_experiment_here_and_there():
    """Drops with their trajectories are drops; a passport without an experiment has no code for it."""
    cells = {PICK: HELD, "impact/3.17.0/dt_ms=2": HELD}
    found = passport_diff.diff(side(cells, drop="d" * 16, pick="p" * 16), side(cells, drop="e" * 16), DECLARATIONS)
    codes = {row["experiment"]: (row["code_here"], row["code_there"]) for row in found}
    assert codes == {"impact": ("d" * 16, "e" * 16), "pick": ("p" * 16, None)}
    assert set(found[0]) == set(passport_diff.COLUMNS)


def test_the_title_of_the_figure_names_what_other_code_measured():
    here = side({}, drop="d" * 16, pick="p" * 16)
    assert passport_figure.title(here, here) == "here: a machine\nthere: a machine"
    there = side({}, drop="d" * 16, pick="q" * 16, stepping="s" * 16)
    last = passport_figure.title(here, there).splitlines()[-1]
    assert last == "by other code there, which may be why cells differ: pick"


# What a passport holds


def test_the_passport_of_this_project_is_of_the_code_that_it_is_shipped_with():
    """So that where another machine's cells differ from it, the code is not the cause."""
    path = PROJECT / "passports/linux-x86_64-intel-xeon.json"
    record = json.loads(path.read_text(encoding="utf-8"))
    pythons = {engine["python"].rpartition(".")[0] for engine in record["engines"].values()}
    if pythons != {f"{sys.version_info.major}.{sys.version_info.minor}"}:
        pytest.skip("a digest is of syntax trees, which another Python may write otherwise")
    scripts = {name: PROJECT / "scripts" / name / declared["run"] for name, declared in SCHEMA.experiments.items()
               if "measures" in declared}  # fmt: skip
    ours = {name: provenance.code(script).removeprefix("code ") for name, script in scripts.items()}
    make = f"snakemake --cores all results/passport.json && cp results/passport.json {path.relative_to(PROJECT)}"
    assert record["code"] == ours, f"the code that measures has changed; make the passport anew: {make}"


def test_a_cell_is_one_line_and_the_same_again():
    line = passport.to_line(HELD)
    assert passport.from_line(line) == HELD
    assert line.endswith("steps=2287,squeeze_N_band=12.77..13.91")


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("drop/3.17.0/dt_ms=0.5.json", "drop/3.17.0/dt_ms=0.5"),
        ("trajectories/drop/3.17.0/dt_ms=2.json", "impact/3.17.0/dt_ms=2"),
        ("drop/3.17.0-aarch64/dt_ms=2.json", "drop/3.17.0/dt_ms=2"),
        ("pick/3.17.0/perturbations=0,mu=1,mass_kg=0.03.json", "pick/3.17.0/mu=1,mass_kg=0.03"),
        ("controls/3.11.0/nan.json", "controls/3.11.0/nan"),
        ("stepping/3.17.0.json", "stepping/3.17.0/all"),
    ],
)
def test_a_cell_has_the_same_name_on_every_machine(path, name):
    assert passport.name_of(path, DECLARATIONS) == name


@pytest.mark.parametrize("dt_ms", [2, 12, 25])
def test_a_drop_is_printed_as_it_is_published(dt_ms):
    record = {"result": drop.run(drop_scene(), dt_ms, "Euler", 2)}
    [words] = [run.words for run in passport.entries(f"drop/3.17.0/dt_ms={dt_ms}.json", record, DECLARATIONS).values()]
    case = f"dt_ms={dt_ms};integrator=Euler;solref=default"
    published = {row["quantity"]: row["published"] for row in CLAIMS if row["section"] == "experiment" and row["case"] == case}
    assert words["outcome"] == published["outcome"]
    assert words["first_overlap_centre_cm"] == published["first_overlap_centre"]
    assert words["lowest_centre_cm"] == published.get("lowest_centre", "none")


def test_columns_are_printed_with_the_digits_of_the_sources():
    """Every published number of a column that passports hold has the column's digits, or fewer."""
    places = {tuple(row[key] for key in ("document", "section", "quantity")): row["column"] for row in
              rows(PROJECT / "workflow/published/columns.csv")}  # fmt: skip
    measures = [measure for declared in DECLARATIONS.values() for measure in declared["measures"].items()]
    digits = {name: how["digits"] for name, how in measures if "digits" in how}
    finest: dict[str, set[str]] = {}
    for row in CLAIMS:
        column = places.get((row["document"], row["section"], row["quantity"]))
        if column in digits and row["kind"] == "exact" and row["published"] != "none":
            ours = Decimal(printed.word(1234.56789012345, digits[column]))
            theirs = as_printed(row["published"], 1234.56789012345, row["note"])
            assert Decimal(10) ** ours.as_tuple().exponent <= Decimal(10) ** theirs.as_tuple().exponent, (column, row)
            finest.setdefault(column.replace("qpos_1", "qpos_0"), set()).add(
                "finest" if ours.as_tuple() == theirs.as_tuple() else "coarser"
            )
    assert len(finest) >= 8
    assert [column for column, seen in finest.items() if "finest" not in seen] == []


def test_a_zero_has_no_sign():
    assert printed.word(-1e-9, ".6f") == printed.word(1e-9, ".6f") == "0.000000"


def test_a_pick_carries_its_bands_and_a_number_that_never_happened_has_none():
    pick = {"digest": "a" * 64, "outcome": "not closed", "flung": False, "lift_m": 0.0737, "squeeze_N": None,
            "close_time_s": None, "steps": 4051}  # fmt: skip
    again = [pick | {"lift_m": lift_m} for lift_m in (0.0701, 0.0742)]
    [run] = passport.entries("pick/3.17.0/mu=1.json", {"result": pick, "perturbed": again}, DECLARATIONS).values()
    assert run.bands == {"lift_cm": ("7.01", "7.42")}
    assert run.words["squeeze_N"] == "none"
    [alone] = passport.entries("pick/3.17.0/mu=1.json", {"result": pick, "perturbed": []}, DECLARATIONS).values()
    assert alone == dataclasses.replace(run, bands={})


def test_rows_that_the_axes_do_not_tell_apart_are_refused():
    row = {"gravity": "enable", "final_qpos_0_m": 0.0}
    with pytest.raises(ValueError, match=r"controls/3\.11\.0/nan\.json: two rows are nan,gravity=enable; `rows` of"):
        passport.entries("controls/3.11.0/nan.json", {"rows": [row, row]}, DECLARATIONS)


def test_one_bit_of_a_row_changes_its_digest():
    first, second = (
        passport.entries("controls/3.11.0/nan.json", {"rows": [{"gravity": "enable", "final_qpos_0_m": value}]}, DECLARATIONS)
        for value in (0.1, 0.1 + 2**-56)
    )
    assert verdicts.compare(*first.values(), *second.values(), {}).verdict == "same digits"


@pytest.mark.parametrize("name", sorted(path.name for path in (PROJECT / "passports").glob("*.json")))
def test_contributed_passports_are_sealed_small_and_one_line_a_cell(name):
    path = PROJECT / "passports" / name
    cells = passport.load(path)["cells"]
    text = path.read_text(encoding="utf-8")
    assert len(text) < 500_000
    assert all(json.dumps(cell) in line for cell, line in zip(cells, text.split('"cells": {\n')[1].splitlines(), strict=False))
    assert {verdicts.compare(run, run, {}).verdict for run in cells.values()} == {"same bits"}


# Which cells are measured again

paths = st.lists(
    st.builds("{}/3.17.0/x={}.json".format, st.sampled_from(["drop", "trajectories/drop", "pick"]), st.integers(0, 99)),
    min_size=1,
)


@given(paths, st.floats(0.01, 1), st.integers(0, 2**32 - 1), st.randoms())
def test_a_sample_has_each_experiment_and_depends_on_nothing_but_its_arguments(names, fraction, seed, random):
    chosen = passport.sample(names, DECLARATIONS, fraction, seed)
    assert len(chosen) == len(set(chosen))
    assert set(chosen) <= set(names)
    assert {printed.cell_of(path)[0] for path in chosen} == {printed.cell_of(path)[0] for path in names}
    shuffled = [*names, *names]
    random.shuffle(shuffled)
    assert passport.sample(shuffled, DECLARATIONS, fraction, seed) == chosen
    for experiment in {path.partition("/")[0] for path in names}:
        alone = [path for path in names if path.startswith(experiment)]
        assert passport.sample(alone, DECLARATIONS, fraction, seed) == [path for path in chosen if path.startswith(experiment)]


@given(paths, st.integers(0, 2**32 - 1))
def test_the_whole_is_every_cell(names, seed):
    assert sorted(passport.sample(names, DECLARATIONS, 1, seed)) == sorted(set(names))


def test_a_fraction_is_that_part_and_seeds_differ():
    names = [f"pick/3.17.0/x={index}.json" for index in range(200)]
    assert len(passport.sample(names, DECLARATIONS, 0.05, 0)) == 10
    drawn = [path for seed in range(400) for path in passport.sample(names, DECLARATIONS, 0.05, seed)]
    counts = pd.Series(drawn).value_counts()
    assert len(counts) == 200  # each is drawn 20 times on average, with a spread of 4.4
    assert counts.max() < 20 + 5 * 4.4


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "which is not there"),
        ("{}", "which is no passport, or was changed after it was made"),
        ("changed", "which is no passport, or was changed after it was made"),
    ],
)
def test_what_is_no_passport_is_refused_in_one_line(tmp_path, content, message):
    path = tmp_path / "other.json"
    if content == "changed":
        files.write_json(path, {"machine": "m", "engines": {}, "cells": {PICK: passport.to_line(HELD)}})
        assert passport.load(path)["cells"] == {PICK: HELD}
        path.write_text(path.read_text(encoding="utf-8").replace("held", "dropped"), encoding="utf-8")
    elif content:
        files.write_json(path, {})
    allowed = "a file of passports/, or a results/passport.json"
    assert refusal(changed("passport", str(path))) == f"config.passport is {path}, {message}; allowed: {allowed}"


@pytest.mark.parametrize(
    ("verify", "message"),
    [
        ({"fraction": 0}, "config.verify.fraction is 0; allowed: above 0 and up to 1"),
        ({"fraction": 1.5}, "config.verify.fraction is 1.5; allowed: above 0 and up to 1"),
        ({"part": 1}, "config.verify has the unknown key 'part'; allowed: fraction, seed"),
    ],
)
def test_a_wrong_sample_is_refused_in_one_line(verify, message):
    assert refusal(changed("verify", verify)) == message


def test_no_sweep_takes_the_name_of_these_tables():
    for name in ("verify", "passport", "passport_diff"):
        sweeps = {name: {"engine": ["3.17.0"], "dt_ms": [2]}}
        assert f"has the name '{name}'" in refusal(changed("drop.sweeps", sweeps))
