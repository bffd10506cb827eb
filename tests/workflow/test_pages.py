"""What a page says was measured is what the tables say: each number in it is taken from the CSV, as a caption's is."""

import platform
import re

import numpy as np
import pandas as pd
import pytest
from captions import DEFAULT, STIFF, chosen, drops, flung, listed, table, verdicts
from conftest import PROJECT, SCHEMA

from lib import schema
from records import settings
from records.headline import WITHIN_PLACEMENT
from records.ledger import as_printed

NAMES = re.compile(
    r"`.*?`|\]\([^)]*\)|--cores \d|SO-101|RK4|x86-64|Apple M5|[Ll]esson \d+|[Cc]hapter 5|steps? \d to \d"
    r"|\d+\.\d+\.\d+|Python 3\.11|3\.11 and 3\.13|as 0"
)
DOCUMENTS = {"lesson 02": "timestep", "lesson 16": "grasp", "chapter 5": "hygiene", "all": None}


def part(page: str, heading: str) -> str:
    """The text under a heading, in one line."""
    text = (PROJECT / page).read_text(encoding="utf-8")
    return " ".join(re.split(r"^## ", text.partition(f"{heading}\n")[2], maxsplit=1, flags=re.MULTILINE)[0].split())


def line(name: str, *cells) -> str:
    return f"| {name} | {' | '.join(map(str, cells))} |"


def falling_cube() -> list[str]:
    soft, wrong, missed = (drops("timestep", mode, solref=DEFAULT) for mode in ("too soft", "wrong side", "missed contact"))
    scene = table("timestep").iloc[0]
    return [
        f"re-measures {verdicts()['all']} published numbers",
        f"dropped {100 * scene['drop_height_m']:g} cm onto a table {100 * scene['table_thickness_m']:g} cm thick",
        f"{listed(soft)} ms let the cube sink through",
        f"{listed(wrong)} ms first look",
        f"{missed[0]:g} ms and more never see the table",
    ]


def what_came_out() -> list[str]:
    found = verdicts()
    return [
        f"Of {found['all']} published numbers {found['exact'] + found['within']} come out",
        f"{found['exact']} at the printed digits and {found['within']} inside their band or bound",
        f"{found['timing']} are timings",
        f"{found['differs']} differ, {verdicts(document='grasp')['differs']} of them in lesson 16",
        *on_request(),
    ]


def on_request() -> list[str]:
    """What more comes out where the tables for it were made; elsewhere nothing can be said of that sentence of the page."""
    counts = table("ledger")["comes_out"].value_counts()
    if not {"emulated", "placement"} <= set(counts.index):
        return re.findall(r"With tables made on request.*?are left", part("README.md", "## What came out"))
    return [
        f"{counts['emulated']} more come out on an emulated machine",
        f"{counts['placement']} more lie within that error; {counts['no']} are left",
    ]


def how_many() -> list[str]:
    counts = {name: verdicts(**{"document": document} if document else {}) for name, document in DOCUMENTS.items()}
    order = ("all", "exact", "within", "differs", "timing")
    return [
        f"starts moved by {schema.defaults(SCHEMA, 'pick')['perturbation_size_m']:.0e} m".replace("e-0", "e-"),
        *(line(name, *(found[verdict] for verdict in order)) for name, found in counts.items()),
    ]


def differing(kind: str) -> pd.DataFrame:
    """The rows of lesson 16 that are not as printed for a kind of cause, with their case as columns of numbers."""
    rows = chosen(table("ledger"), document="grasp", cause_kind=kind)
    pairs = rows["case"].str.extractall(r"\b(\w+)=([\d.]+)").droplevel(1).set_index(0, append=True)[1]
    return rows.join(pairs.unstack().map(float))


def why() -> list[str]:
    truncated, placed = differing("truncation"), differing("placement")
    caps = sorted(truncated.loc[truncated["section"] == "B", "cap"].unique(), reverse=True)
    mu, _, picks = truncated.loc[truncated["section"] == "A", "mu"].max(), *flung()[1:]
    frictions = chosen(table("grasp_summary"), sweep="friction")["mu"]
    moved_m = table("pick_placement")["perturbation_size_m"].max()
    if placed["cause"].str.contains("pick_placement").all():
        pytest.skip("the ledger was made before results/pick_placement.csv was there")
    assert set(placed["verdict"]) == {WITHIN_PLACEMENT}
    return [
        f"Below mu {frictions[frictions > mu].min():g} and at torque caps of {' and '.join(f'{cap:g}' for cap in caps)} N m",
        f"with an error of {1000 * moved_m:g} mm",
        f"all {len(placed)} of these numbers",
        f"Outcomes of {picks} picks",
        f"The same {picks} picks",
    ]


def last_reading() -> list[str]:
    """How many of those that differ come out in other ways, and what does so in none, row by row."""
    rows = table("ledger")
    placed, truncated = (chosen(rows, verdict=WITHIN_PLACEMENT), chosen(rows, cause_kind="truncation"))
    if truncated["emulated_engine"].isna().any():
        pytest.skip("the ledger has no picks of an emulated machine: figures/architectures.png makes them")
    emulated, left = chosen(truncated, comes_out="emulated"), chosen(rows, comes_out="no")
    exact = chosen(emulated, emulated_verdict="exact")
    return [
        f"Of the {len(placed) + (rows['verdict'] == 'differs').sum()} numbers that differ here",
        f"{len(placed)} lie within",
        f"{len(emulated)} of the {len(truncated)} that",
        f"{len(exact)} at the printed digits and {len(emulated) - len(exact)} within their bands",
        *(left_row(row) for row in left.itertuples()),
    ]


def left_row(row) -> str:
    measured = (printed_as(row.published, value) for value in (row.measured, row.emulated_measured))
    return " ".join(line(f"`{row.section}`, `{row.case}`, `{row.quantity}`", row.published, *measured).split())


def printed_as(published: str, measured) -> str:
    """A measured number as the ledger has it, or both ends of an interval, with the digits of the published one."""
    if pd.isna(measured):
        return ""
    ends = zip(published.split(".."), str(measured).split(".."), strict=True)
    return "..".join(str(as_printed(told, float(found))) for told, found in ends)


COUNTS = ["held", "not_closed", "dropped"]


def on_machines() -> list[str]:
    rows = table("architectures").dropna(subset="n").assign(failed=lambda rows: rows["n"] - rows["held"])
    low = chosen(rows, sweep="friction", solver="stock").query("mu < 0.05")
    found = {where: chosen(low, architecture=where) for where in ("published", "aarch64", "x86_64")}
    counts = {where: here[COUNTS].to_numpy() for where, here in found.items()}
    alike = {where: np.minimum(here, counts["published"]).sum() for where, here in counts.items()}
    sums = {name: [here[name].sum() for here in found.values()] for name in ("failed", "not_closed", "flung")}
    converged = [chosen(rows, solver="converged", architecture=where) for where in ("aarch64", "x86_64")]
    assert np.array_equal(*(here[[*COUNTS, "flung"]].to_numpy() for here in converged))
    assert converged[0]["flung"].sum() == 0
    return [
        f"gives {alike['aarch64']:g} of the {alike['published']:g} outcomes below mu 0.05",
        f"x86-64 gives {alike['x86_64']:g}.",
        f"Below mu 0.05, of {found['x86_64']['n'].sum():g} picks",
        *(line(name.replace("_", " "), *(f"{value:g}" for value in values)) for name, values in sums.items()),
        f"agree in all {len(converged[0])} rows",
    ]


def lesson_table() -> list[str]:
    """The measured half of the page's table; its published half is compared in test_docs."""
    rows = table("timestep")
    default, stiff = (chosen(rows, solref=solref).set_index("dt_ms") for solref in (DEFAULT, STIFF))
    text = (PROJECT / "docs/findings.md").read_text(encoding="utf-8")
    shown = {}
    for row in re.findall(r"^\| *[\d.]+ *\|.*$", text, re.MULTILINE):
        dt, _, overlap, lowest_published, lowest, _, outcomes = (cell.strip() for cell in row.split("|")[1:-1])
        shown[float(dt)] = row
        centre = default["first_overlap_centre_cm"][float(dt)]
        assert overlap == ("none" if pd.isna(centre) else f"{centre:.2f}")
        assert lowest == (f"{default['lowest_centre_cm'][float(dt)]:.2f}" if lowest_published else "")
        assert outcomes == f"{default['outcome'][float(dt)]} / {stiff['outcome'][float(dt)]}"
    assert sorted(shown) == sorted(default.index)
    return ["with solref 0.005 1", *(" ".join(row.split()) for row in shown.values())]


def as_published(found: pd.DataFrame, sweep: str) -> str:
    """How many drops of a sweep end as published, of how many where the version lacks some."""
    asked = chosen(found, experiment="drop", sweep=sweep).dropna(subset="published_outcome")
    ran = asked.dropna(subset="outcome")
    kept = (ran["outcome"] == ran["published_outcome"]).sum()
    return f"{kept}" if len(ran) == len(asked) else f"{kept} of {len(ran)}"


def versions() -> list[str]:
    rows = table("engines")
    plain, moved = rows[rows["cell"] == rows["reference_cell"]], rows[rows["cell"] != rows["reference_cell"]]
    of = {engine: chosen(plain, engine=engine) for engine in ("3.11.0", "3.17.0", "4.0.0")}
    of_drops = [*of.values(), chosen(moved, engine="4.0.0")]
    ended = {sweep: " | ".join(as_published(found, sweep) for found in of_drops) for sweep in ("timestep", "integrators")}
    asked = [len(chosen(of["3.17.0"], sweep=sweep).dropna(subset="published_outcome")) for sweep in ended]
    picks = {engine: chosen(found, experiment="pick") for engine, found in of.items()}
    faults = {engine: chosen(found, experiment="controls") for engine, found in of.items()}
    kept = {engine: (found["outcome"] == found["reference_outcome"]).sum() for engine, found in picks.items()}
    bits = {engine: found["first_different_step"].isna().sum() for engine, found in faults.items()}
    return [
        f"over the timestep as published, of {asked[0]} | {ended['timestep']} |",
        f"the integrators as published, of {asked[1]} | {ended['integrators']} |",
        f"the outcome they have on 3.17.0, of {len(picks['3.17.0'])} | {kept['3.11.0']} | | {kept['4.0.0']} | |",
        f"the bits they have on 3.11.0, of {len(faults['3.11.0'])} | | {bits['3.17.0']} | {bits['4.0.0']} | |",
        *changed_drops(plain, moved),
        *changed_picks(plain),
    ]


def axes(found: pd.DataFrame) -> pd.DataFrame:
    """The axes in the names of cells, one column for each."""
    return pd.DataFrame([settings.from_cell_name(cell.replace(" ", ",")) for cell in found["cell"]], index=found.index)


def changed_drops(plain: pd.DataFrame, moved: pd.DataFrame) -> list[str]:
    old = chosen(plain, experiment="drop", sweep="timestep", engine="3.11.0")
    lost = axes(old[(old["outcome"] == "passed") & (old["published_outcome"] == "kept")])
    assert sorted(lost["dt_ms"]) == [2, 8, 8]
    new = chosen(plain, experiment="drop", engine="4.0.0")
    assert set(new["change"]) <= {"same bits", "same digits"}
    flag = chosen(moved, experiment="drop", sweep="timestep", engine="4.0.0")
    flag = axes(flag).join(flag["outcome"])
    stiff = flag["solref"].notna()
    passing = sorted(flag[~stiff & (flag["outcome"] != "kept")]["dt_ms"])
    assert (flag[stiff]["outcome"] == "kept").all()
    assert stiff.sum() == 15
    rk4 = chosen(moved, experiment="drop", sweep="integrators", engine="4.0.0")
    rk4 = axes(rk4).join(rk4["outcome"])
    assert (rk4[(rk4["integrator"] == "RK4") & (rk4["dt_ms"] == 25)]["outcome"] == "passed").all()
    return [
        "the cube passes at 2 ms, and at 8 ms with either solref",
        "at every timestep from 2 ms on with Euler",
        f"At {listed(passing)} ms it still sinks",
        "with solref 0.005 1 all fifteen",
        "still passes at 25 ms",
    ]


def changed_picks(plain: pd.DataFrame) -> list[str]:
    picks = chosen(plain, experiment="pick")
    picks = axes(picks).join(picks)
    assert (picks[picks["engine"] != "3.17.0"]["first_different_step"] == 1).all()
    changed = picks[picks["outcome"] != picks["reference_outcome"]]
    flung_moved = picks[(picks["failure_mode"] == "flung") != (picks["reference_failure_mode"] == "flung")]
    caps = sorted(set(flung_moved[flung_moved["sweep"] == "torque_cap"]["cap_Nm"]))
    frictions = flung_moved[flung_moved["sweep"] == "friction"]["mu"]
    assert (changed.groupby("engine").size() == 4).all()
    assert max(frictions) < 0.03
    [cap_Nm] = set(changed["cap_Nm"])
    return [
        f"all at the torque cap of {cap_Nm:g} N m",
        f"below mu 0.03 and at caps of {listed(caps)}",
    ]


def another_gripper() -> list[str]:
    squeeze_N = table("grasp_gripper")["squeeze_N"].dropna()
    assert f"{squeeze_N.min():.1f}" == f"{squeeze_N.max():.1f}"
    return [f"squeezes with {squeeze_N.mean():.1f} N whatever the friction"]


MEASURED = [
    ("README.md", "# contactlab", falling_cube),
    ("README.md", "## What came out", what_came_out),
    ("docs/findings.md", "## How many come out", how_many),
    ("docs/findings.md", "## Why 49 numbers of lesson 16 differ", why),
    ("docs/findings.md", "## The ledger's last reading", last_reading),
    ("docs/findings.md", "## A published table belongs to its machine", on_machines),
    ("docs/findings.md", "## Does the contact keep the cube?", lesson_table),
    ("docs/findings.md", "## One pick in pictures", list),
    ("docs/findings.md", "## One control turns NaN", list),
    ("docs/versions-and-machines.md", "## Another MuJoCo version", versions),
]


@pytest.mark.parametrize(("page", "heading", "found"), MEASURED, ids=lambda part: part if isinstance(part, str) else None)
def test_every_number_of_a_page_is_the_tables(page, heading, found):
    if platform.machine() not in ("x86_64", "AMD64"):
        pytest.skip("the pages say what x86-64 gives")
    text = part(page, heading)
    assert text
    for fragment in found():
        assert fragment in text
        text = text.replace(fragment, "")
    assert re.findall(r"\S*\d\S*", NAMES.sub("", text)) == []


def test_the_gripper_squeezes_as_its_table_says():
    for fragment in another_gripper():
        assert fragment in part("docs/own-scene-and-robot.md", "## A robot")


def test_every_section_of_the_findings_is_compared():
    headings = re.findall(r"^## .*$", (PROJECT / "docs/findings.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert headings == [heading for page, heading, _ in MEASURED if page == "docs/findings.md"]


def test_the_ratios_of_the_benchmarks_are_those_of_their_seconds():
    """As far as the printed digits go; the seconds are those of the machine that the page names."""
    ways = (PROJECT / "docs/benchmarks.md").read_text(encoding="utf-8").partition("What is wanted")[0]
    rows = re.findall(r"^\| ([^|]+) \| ([\d.]+) \| ([\d.]+) \|", ways, re.MULTILINE)
    seconds = {name: float(told) for name, told, _ in rows}
    [pool] = [told for name, told in seconds.items() if "pool" in name]
    assert len(rows) == 6
    for name, told, ratio in rows:
        half = 0.5 if float(told) > 100 else 0.05
        low, high = (float(told) - half) / (pool + 0.05), (float(told) + half) / (pool - 0.05)
        assert low - 0.005 <= float(ratio) <= high + 0.005, name
