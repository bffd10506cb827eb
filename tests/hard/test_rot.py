"""Stored files that rot: the next run refuses each by name in one line, or makes it again, and never uses it."""

import json
import os
import random
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import LEAST, LEAST_TARGETS, PATH, PROJECT, Workflow
from hypothesis import given
from hypothesis import strategies as st

from records import passport

SMALL = ["results/timestep.csv", "figures/timestep.png", "results/controls_clamp.csv"]  # in seconds, and enough for most kinds
WHOLE = [*LEAST_TARGETS, "results/ledger.csv"]
DROP, OTHER_DROP = (f"results/drop/3.17.0/dt_ms={dt_ms}.json" for dt_ms in (2, 25))
LOCK, CLAIMS = "envs/mujoco-3.17.0.txt", "workflow/published/claims.csv"
SCENES, ROBOT = "results/models/pick/3.17.0", "results/models/so101"

# What rots, a file whose content it may get, and what is gone, so that the next run has to read it.
KINDS = {
    "cell": (DROP, OTHER_DROP, ["results/timestep.csv"]),
    "store entry": (DROP, OTHER_DROP, ["results/timestep.csv"]),
    "record of a scan": ("results/controls/3.17.0/clamp.json", DROP, ["results/controls_clamp.csv"]),
    "scene": ("results/models/drop/default.xml", LOCK, [".store/*", "results/timestep.csv"]),
    "table": ("results/timestep.csv", "results/controls_clamp.csv", []),
    "figure": ("figures/timestep.png", "figures/timestep.svg", []),
    "engine record": (".engines/3.17.0/engine.json", DROP, []),
    "lock": (LOCK, "envs/mujoco-3.11.0.txt", []),
    "published numbers": (CLAIMS, "workflow/published/columns.csv", []),
    "compiled model": (
        f"{SCENES}/mu=0.3,mass_kg=0.03,cap_Nm=0.5.mjb",
        f"{SCENES}/mu=1,mass_kg=0.03,cap_Nm=0.5.mjb",
        [".store/*", "results/grasp_*.csv"],
    ),
    "mesh of the robot": (f"{ROBOT}/assets/base_so101_v2.stl", f"{ROBOT}/assets/upper_arm_so101_v1.stl", []),
    "provenance of the robot": (f"{ROBOT}/provenance.json", DROP, []),
    "ledger": ("results/ledger.csv", "results/timestep.csv", []),
}
FROM_PICKS = ("compiled model", "mesh of the robot", "provenance of the robot", "ledger")


def flipped(content: bytes, rng: random.Random) -> bytes:
    """One bit of one byte is another."""
    place = rng.randrange(len(content))
    return content[:place] + bytes([content[place] ^ 1 << rng.randrange(8)]) + content[place + 1 :]


DAMAGES: dict[str, Callable[[bytes, bytes, random.Random], bytes]] = {
    "truncated": lambda content, other, rng: content[: rng.randrange(1, len(content))],
    "emptied": lambda content, other, rng: b"",
    "flipped": lambda content, other, rng: flipped(content, rng),
    "another's": lambda content, other, rng: other,
}
CASES = [(kind, damage) for kind in KINDS for damage in DAMAGES]
random.Random(0).shuffle(CASES)
CASES.sort(key=lambda case: case[0] in FROM_PICKS)


@pytest.fixture(scope="module", autouse=True)
def own_store():
    """Each copy has a store of its own, whatever the environment names: a store entry is to rot."""
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("SNAKEMAKE_OUTPUT_CACHE", raising=False)
        yield


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> Workflow:
    """A copy of the project with a table of drops, its figure and a scan of controls."""
    workflow = Workflow(tmp_path_factory.mktemp("rot") / "made")
    workflow.configure(LEAST)
    workflow.executed(*SMALL)
    workflow.share_engines()
    return workflow


@pytest.fixture(scope="module")
def made_whole(made, tmp_path_factory) -> Workflow:
    """The same with picks and the ledger."""
    workflow = made.copied_to(tmp_path_factory.mktemp("rot") / "whole")
    workflow.executed(*WHOLE)
    return workflow


def stored(workflow: Workflow) -> dict[str, bytes]:
    """All tables and figures by name, without what the clock said: it is reported, and judged nowhere."""
    found = [*workflow.folder.glob("results/[!.]*.csv"), *workflow.folder.glob("figures/[!.]*.*")]
    known = {path.name: path.read_bytes() for path in found}
    return {name: re.sub(rb"(?m)^.*,timing,timing,.*$", b"", content) for name, content in known.items()}


def rot(path: Path, content: bytes, keep_time: bool) -> None:
    """Other content in place, through a link too, with the time of modification that it had or a new one."""
    status = path.stat()
    path.write_bytes(content)
    if keep_time:
        os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


def refusal(output: str, name: str) -> str:
    """The one line that says what is wrong with a file."""
    assert "Traceback" not in output
    told = [line.strip() for line in output.splitlines() if re.search(rf"{re.escape(name)} is (not|of) ", line)]
    found = {re.sub(r"^\w+\.py: ", "", line) for line in told}  # jobs of several scripts may have met it
    assert len(found) == 1, output
    return found.pop()


def follow(workflow: Workflow, said: str) -> None:
    """Do what a refusal says."""
    path, command = said.partition(" is ")[0].split(": ")[-1], said.partition("make it again with: ")[2]
    if command:
        subprocess.run(
            command, shell=True, cwd=workflow.folder, env=os.environ | {"PATH": PATH}, check=True, capture_output=True
        )
    elif "restore it with git" in said:
        shutil.copy2(PROJECT / path, workflow.folder / path)
    elif (workflow.folder / path).is_dir():
        shutil.rmtree(workflow.folder / path)
    else:
        (workflow.folder / path).unlink()


@pytest.mark.seeds(short=1, hard=len(CASES))
def test_what_has_rotted_is_refused_by_name_or_made_again(request, tmp_path, seed):
    kind, damage = CASES[seed]
    fixture, targets = ("made_whole", WHOLE) if kind in FROM_PICKS else ("made", SMALL)
    workflow = request.getfixturevalue(fixture).copied_to(tmp_path / "copy")
    name, other, gone = KINDS[kind]
    path, before = workflow.folder / name, stored(workflow)
    content = path.read_bytes()
    rotten = DAMAGES[damage](content, (workflow.folder / other).read_bytes(), random.Random(seed))
    assert rotten != content
    if kind == "cell":  # no link any more
        path.unlink()
        path.write_bytes(content)
    if kind == "engine record":
        workflow.own_engines()
    rot(path, rotten, keep_time=bool(seed % 2))
    for missing in (missing for pattern in gone for missing in workflow.folder.glob(pattern)):
        missing.unlink()
    done = workflow.run(*targets)
    if done.returncode:
        follow(workflow, refusal(done.stdout, ROBOT if kind == "mesh of the robot" else name))
        done = workflow.run(*targets)
    assert done.returncode == 0, done.stdout
    assert not path.exists() or path.read_bytes() != rotten or same_record(content, rotten)  # gone: not needed until it is
    assert stored(workflow) == before


def same_record(content: bytes, other: bytes) -> bool:
    """Whether two texts are one record: a blank of another kind, or a digit behind those that a float has."""
    try:
        return json.loads(content) == json.loads(other)
    except ValueError:
        return False


@given(st.integers(0), st.integers(0, 7))
def test_a_bit_of_a_passport_that_flips_is_seen(tmp_path_factory, place, bit):
    whole = next((PROJECT / "passports").glob("*.json"))
    content, path = bytearray(whole.read_bytes()), tmp_path_factory.getbasetemp() / "passport.json"
    content[place % len(content)] ^= 1 << bit
    path.write_bytes(content)
    if same_record(whole.read_bytes(), bytes(content)):  # a blank of another kind
        assert passport.load(path) == passport.load(whole)
    else:
        with pytest.raises(ValueError, match=f"{path}, which is no passport, or was changed after it was made"):
            passport.load(path)


def of_another_machine(workflow: Workflow) -> None:
    workflow.edit("workflow/lib/provenance.py", 'return f"machine {', 'return f"machine another {')


def of_other_code(workflow: Workflow) -> None:
    workflow.edit("scripts/records/files.py", 'is not what was written into it")', 'is something else")')


FOREIGN = [
    (edit, what, place)
    for edit, what in ((of_another_machine, "machine"), (of_other_code, "code"))
    for place in ("results", "store", "table")
]


@pytest.mark.seeds(short=1, hard=len(FOREIGN))
def test_what_another_machine_or_other_code_made_appears_nowhere(made, tmp_path, seed):
    """A cell, valid and sealed, in results/ or behind its link in the store; a table with its seal."""
    edit, what, place = FOREIGN[seed]
    workflow, elsewhere = (made.copied_to(tmp_path / name) for name in ("here", "elsewhere"))
    elsewhere.own_engines()  # which the edit makes it build anew
    edit(elsewhere)
    names = ["results/timestep.csv", "results/.seal.timestep.csv"] if place == "table" else [DROP]
    assert elsewhere.run(names[0]).returncode == 0
    before = stored(workflow)
    for name in names:
        if place == "results":
            (workflow.folder / name).unlink()
        (workflow.folder / name).write_bytes((elsewhere.folder / name).read_bytes())
    (workflow.folder / ("figures/timestep.png" if place == "table" else "results/timestep.csv")).unlink()
    done = workflow.run(*SMALL)
    said = refusal(done.stdout, names[0])
    assert f" is of the {what} " in said
    follow(workflow, said)
    done = workflow.run(*SMALL)
    assert done.returncode == 0, done.stdout
    assert stored(workflow) == before
