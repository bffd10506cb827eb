"""Shipped audits: each caption's answer against the tables that `make test-audits` makes; `make test` makes the small ones."""

import json
import platform
import re
from collections.abc import Iterable
from pathlib import Path

import pandas as pd
import pytest
import yaml
from conftest import PROJECT

from pages import answer
from records import tables

PRESETS = {path.stem: yaml.safe_load(path.read_text(encoding="utf-8")) for path in (PROJECT / "presets").glob("*.yaml")}
SHIPPED = {name: asks["audits"] for name, asks in PRESETS.items() if "audits" in asks}
SMALL = ("shelf", "rolling_can")  # the others take minutes


class Made:
    """The tables of an audit in a folder where it has been made."""

    def __init__(self, folder: Path, name: str) -> None:
        self._folder, self._name = folder, name
        self.runs = tables.read(folder / f"results/{name}.csv").set_index("variation")
        self.verdicts = tables.read(folder / f"results/{name}_verdicts.csv")

    def counts(self, outcome: str) -> dict[str, str]:
        """How many of how many starts have an outcome, by variation: "7 of 9"."""
        rows = self.verdicts[self.verdicts["measure"] == outcome]
        counts = {row.variation: f"{row.here_successes:.0f} of {row.pairs:.0f}" for row in rows.itertuples()}
        return {"reference": f"{rows.iloc[0].there_successes:.0f} of {rows.iloc[0].pairs:.0f}"} | counts

    def record(self, engine: str, cell: str = "default") -> dict:
        path = self._folder / f"results/audits/{engine}/{self._name}/{cell}.json"
        return json.loads(path.read_text(encoding="utf-8"))


def listed(values: Iterable) -> str:
    *most, last = [f"{value:g}" if isinstance(value, float) else str(value) for value in values]
    return f"{', '.join(most)} and {last}" if most else last


def axis(counts: dict[str, str], name: str) -> dict[str, str]:
    """The counts of the variations of one axis, by its value as written."""
    return {variation.partition("=")[2]: count for variation, count in counts.items() if variation.startswith(f"{name}=")}


def seating(made: Made) -> str:
    runs, seated = made.runs, made.runs["seated"]
    old = runs["engine"].isin(["3.3.0", "3.3.7"])
    assert seated[old].all()
    assert not seated[~old].any()
    assert set(made.counts("seated").values()) == {"0 of 9", "9 of 9"}
    assert sorted(runs["option.timestep"].dropna()) == [0.0005, 0.001, 0.004]
    assert sorted(runs["geom.*.friction"].dropna()) == [0.9, 1.1]
    assert runs["option.cone"].dropna().tolist() == ["elliptic"]
    seated_mm, leaning_mm = (1000 * runs["height_m"][rows] for rows in (old, ~old))
    assert leaning_mm.max() - leaning_mm.min() < 0.05
    return (
        "It seats up to 3.3.7 and from 3.4.0 on it does not, whatever the timestep from 0.5 to 4 ms, the friction cone and a "
        f"friction 10 % lower or higher: it ends {seated_mm.min():.1f} to {seated_mm.max():.1f} mm high, down between the "
        f"stones, and from 3.4.0 on {leaning_mm.mean():.1f} mm, leaning on their rim."
    )


def shelf(made: Made) -> str:
    kept = made.counts("kept")
    at = {float(value) * 1000: count for value, count in axis(kept, "option.timestep").items()} | {4.0: kept["reference"]}
    none, every = ([dt for dt in sorted(at) if at[dt] == count] for count in ("0 of 9", "9 of 9"))
    assert kept["engine=3.3.7"] == "0 of 9"
    assert kept["engine=3.4.0"] == kept["engine=4.0.0"] == kept["reference"]
    solref, arm = axis(kept, "geom.board.solref"), axis(kept, "actuator.arm.gainprm")
    assert solref == {"0.005_1": "9 of 9", "0.01_1": "9 of 9", "0.03_1": "0 of 9"}
    assert arm["10"] == "9 of 9"
    assert arm["40"] == "0 of 9"
    assert sorted(at) == sorted([*none, *every, 4.0, 16.0])
    return (
        f"Only where the timestep happens to fit: at {listed(every)} ms all 9 hands are kept, their starts moved by 1 mm, at "
        f"4 ms {at[4.0][0]}, at 16 ms {at[16.0][0]}, at {listed(none)} ms none; MuJoCo 3.3.7 loses all at 4 ms too. A solref "
        "of 10 ms or less, or an arm of 10 N, keeps all there; a solref of 30 ms or an arm of 40 N loses all."
    )


def rolling_can(made: Made) -> str:
    far_m, stops = made.runs["distance_m"], made.runs["stops"]
    with_timestep = far_m[["reference", *(name for name in far_m.index if name.startswith("option.timestep="))]]
    assert sorted(made.runs["option.timestep"].dropna()) == [0.0005, 0.001, 0.004, 0.01]
    not_stopped = ["option.impratio=1", "geom.*.condim=3", "geom.*.condim=4"]
    assert sorted(stops.index[~stops.astype(bool)]) == sorted(not_stopped)
    assert far_m[not_stopped[1:]].min() > 7.9
    return (
        f"With the elliptic cone and impratio 10 it comes {far_m['reference']:.3f} m far, by the closed form "
        f"{0.75 * 0.033 / (9.81 * 0.001):.3f}, and {with_timestep.min():.3f} to {with_timestep.max():.3f} m at timesteps of "
        f"0.5 to 10 ms; with the pyramidal cone it comes {far_m['option.cone=pyramidal']:.3f} m, as that brakes less across "
        "its edges, with impratio 1 it still creeps after 8 s, and with condim 3 or 4 it rolls on."
    )


def stack(made: Made) -> str:
    stands = made.counts("stands")
    fewer = {name: count.split(" ")[0] for name, count in stands.items() if count != "9 of 9"}
    coarse, gradient, sweeps = (fewer.pop(f"option.{name}") for name in ("timestep=0.016", "solver=CG", "solver=PGS"))
    newer, older, oldest = (fewer.pop(f"engine={version}") for version in ("3.11.0", "3.4.0", "3.3.7"))
    assert not fewer
    assert oldest == "0"
    assert sorted(made.runs["option.timestep"].dropna()) == [0.0005, 0.001, 0.004, 0.008, 0.016]
    assert made.runs["stands"]["option.timestep=0.016"]  # from the exact start
    return (
        "With the Newton solver they stay at every timestep up to 8 ms, whatever the integrator, the friction cone, impratio "
        f"or the iterations, and at 16 ms {coarse} of 9 stacks does; with the solver CG {gradient}, with PGS {sweeps}. On "
        f"MuJoCo 3.11.0 {newer} stay, on 3.4.0 {older}, on 3.3.7 none."
    )


STAND = ("same bits", "same digits")


def suite(made: dict[str, Made]) -> str:
    verdicts = pd.concat([one.verdicts.assign(task=name.removeprefix("suite_")) for name, one in made.items()])
    for name, one in made.items():
        half = one.runs["option.timestep"].dropna().item()
        assert one.record("3.17.0")["timestep_s"] == 2 * half, name
    versions, halved = (verdicts[verdicts["axis"] == axis] for axis in ("engine", "option.timestep"))
    assert sorted(set(versions["engine"])) == ["3.11.0", "4.0.0"]
    assert versions["verdict"].isin(STAND).all()
    stand, within = halved["verdict"].isin(STAND), halved["verdict"] == "within band"
    assert (halved["verdict"][~stand & ~within] == "moved").all()
    chaotic = halved.groupby("task")["verdict"].agg(lambda found: set(found) == {"within band"})
    assert chaotic.index[chaotic].tolist() == ["walker"]
    cheetah = halved[(halved["task"] == "cheetah") & (halved["measure"] == "distance_m")].iloc[0]
    return (
        f"All {len(halved)} measures of {len(made)} tasks have the same digits on 3.11.0, 3.17.0 and 4.0.0. Under half the "
        f"timestep {stand.sum()} have, {within.sum()} stay within the band of a start moved by 10 nm, among them all of the "
        f"walker, and {len(halved) - stand.sum() - within.sum()} move: the cheetah runs {float(cheetah.value_here):.2f} m in "
        f"place of {float(cheetah.reference_value):.2f}."
    )


def metaworld(made: Made) -> str:
    success = made.verdicts[made.verdicts["measure"] == "success"]
    newest = success["engine"] == "3.17.0"
    assert set(success["verdict"][newest]) == {"cannot run"}
    ran = success[~newest]
    assert "cannot run" not in set(ran["verdict"])
    tasks, moved = [], ran[ran["verdict"] == "changed"]
    for case, rows in moved.groupby("case", sort=False):
        here = " or ".join(f"{count:.0f}" for count in sorted(rows["here_successes"].unique()))
        name, there = case.removeprefix("task=").removesuffix("-v3"), rows["there_successes"].iloc[0]
        tasks.append(f"{name} {here} in place of {there:.0f} {rows['moved_in'].iloc[0]}")
    large = moved[moved["discordant"] > 2]
    assert large["case"].unique().tolist() == ["task=dial-turn-v3"]
    assert set(moved["pairs"]) == {10}
    won = made.runs[made.runs["status"] == "ran"].groupby("engine")["success"].agg(["size", "sum"])
    assert set(won["size"]) == {500}
    first, others = won["sum"]["3.3.0"], won["sum"].drop("3.3.0")
    return (
        f"{len(tasks)} of {success['case'].nunique()} do. Of ten episodes succeed: {listed(tasks)}. All but dial-turn's (exact "
        f"paired p {large['paired_p'].item():.3f}) are an episode or two. In all {first} of 500 succeed on 3.3.0 and "
        f"{others.min()} to {others.max()} on the later ones; on 3.17.0 Meta-World's own code does not run."
    )


ANSWERS = {function.__name__: function for function in (seating, shelf, rolling_can, stack, suite, metaworld)}


def test_every_shipped_audit_has_an_answer_that_is_checked():
    assert SHIPPED.keys() == ANSWERS.keys()


def made_in(folder: Path, preset: str) -> Made | dict[str, Made]:
    """What the audits of a preset have made: of one that is called as its file is its own, else of each by its name."""
    found = {name: Made(folder, name) for name in SHIPPED[preset]}
    return found.get(preset, found)


@pytest.mark.parametrize("preset", ANSWERS)
def test_the_caption_says_what_the_tables_hold(preset, request):
    folder = PROJECT
    if preset in SMALL:
        workflow = request.getfixturevalue("workflow")
        workflow.executed(preset, "--configfile", f"presets/{preset}.yaml")
        folder = workflow.folder
    elif not all((PROJECT / f"results/{name}_verdicts.csv").is_file() for name in SHIPPED[preset]):
        pytest.skip(f"the tables of {preset} are not there: `make test-audits` makes them")
    if platform.machine() != "x86_64":
        pytest.skip("the answers were measured on x86-64")
    assert answer(preset) == ANSWERS[preset](made_in(folder, preset))
    for name in SHIPPED[preset]:
        assert (folder / f"figures/{name}.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("preset", SHIPPED)
def test_a_shipped_audit_begins_with_its_question_and_its_command(preset):
    """The page of presets shows the question, `pages.questions`."""
    question, command, *_ = (PROJECT / f"presets/{preset}.yaml").read_text(encoding="utf-8").splitlines()
    assert re.match(r"# [A-Z].*\?$", question)
    assert command.startswith(f"# snakemake --cores 8 {preset} --configfile presets/{preset}.yaml")


def test_a_preset_that_asks_several_questions_answers_them_all(workflow):
    refused = workflow.run("--dry-run", "suite")
    assert "suite needs its preset; allowed: snakemake suite --configfile presets/suite.yaml" in refused.stdout
    planned = workflow.run("--dry-run", "suite", "--configfile", "presets/suite.yaml").stdout
    assert [name for name in SHIPPED["suite"] if f"{name}_card" not in planned] == []
