"""Audits in the workflow: run in a repository of the user's own beside contactlab's clone, by one command and as a module."""

import csv
import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
import yaml
from browser import CHROMIUM
from conftest import PATH, Workflow, rows

FLOOR = '<mujoco><worldbody><geom name="floor" type="plane" size="1 1 1"/></worldbody></mujoco>'
BOX = """<mujoco><include file="floor.xml"/><worldbody>
<body name="box" pos="0 0 .12"><freejoint/><geom name="box" type="box" size=".1 .1 .1" mass="1"/></body></worldbody></mujoco>"""
BOWL = {
    "scene": "scenes/box.xml",
    "duration_s": 0.2,
    "measures": {
        "height_m": {"body": "box", "quantity": "z_m"},
        "press_N": {"contact": ["box", "floor"], "quantity": "force_N"},
    },
    "outcomes": {"up": {"height_m": "> 0.05"}},
    "reference": {"engine": "3.17.0"},
    "vary": {"engine": ["3.11.0"], "option.timestep": [0.001]},
    "repeats": {"perturbations": 1},
}
CODE = """
import mujoco
if mujoco.__version__ == "3.11.0":
    raise ImportError("not with this version")
def measure(seed, way="plain"):
    print("said")
    open("left.txt", "w").write("left")
    if way == "raises" and seed:
        raise KeyError("nothing")
    while way == "endless":
        pass
    return {"good": way != "list" or [1], "value": 0.1 * seed}
"""


class Own:
    """A folder of the user's own beside a clone of contactlab, whose engines it shares."""

    def __init__(self, clone: Workflow, folder: Path) -> None:
        self.clone, self.folder = clone, folder
        (folder / "scenes").mkdir(parents=True)
        (folder / ".engines").symlink_to((clone.folder / ".engines").resolve())
        self.write("scenes/floor.xml", FLOOR)
        self.write("scenes/box.xml", BOX)

    def write(self, name: str, text: str) -> None:
        (self.folder / name).write_text(text, encoding="utf-8")

    def configure(self, name: str, audit: dict, **others) -> None:
        self.write(f"{name}.yaml", yaml.safe_dump({"audits": {name: audit}} | others))

    def audit(self, name: str, *options: str) -> subprocess.CompletedProcess:
        """What the program `audit` does, in this interpreter's environment."""
        paths = [str(self.clone.folder / part) for part in ("scripts", "workflow")]
        command = [sys.executable, self.clone.folder / "workflow/lib/audit_command.py", f"{name}.yaml", *options]
        environment = os.environ | {"PYTHONPATH": os.pathsep.join(paths), "PATH": PATH}
        return subprocess.run(
            command, cwd=self.folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
        )

    def jobs(self) -> Counter:
        """The jobs of the last run that were executed, by rule."""
        log = max(self.folder.glob(".snakemake/log/*.log")).read_text(encoding="utf-8")
        return Counter(line.split("Rule: ")[1].rstrip(")") for line in log.splitlines() if "Finished jobid" in line)

    def rows(self, table: str) -> list[dict[str, str]]:
        return rows(self.folder / f"results/{table}.csv")


@pytest.fixture
def own(prepared: Workflow, tmp_path: Path) -> Own:
    clone = prepared.copied_to(tmp_path / "contactlab")
    return Own(clone, tmp_path / "my robot")


def verdicts(own: Own, name: str) -> dict[tuple[str, str], str]:
    return {(row["measure"], row["variation"]): row["verdict"] for row in own.rows(f"{name}_verdicts")}


def test_a_scene_is_audited_in_a_repository_of_its_own_and_only_what_an_edit_affects_runs_again(own):
    own.configure("bowl", BOWL)
    done = own.audit("bowl", "--cores", "2")
    assert done.returncode == 0, done.stdout
    assert done.stdout.splitlines()[-1].endswith(": figures/bowl.png")
    made = own.jobs() - Counter(engine=1)  # which another test may have built
    assert made == Counter(audit_ready=2, audit_run=3, bowl_table=1, bowl_verdicts=1, bowl_card=1, bowl=1)
    assert [row["variation"] for row in own.rows("bowl")] == ["reference", "engine=3.11.0", "option.timestep=0.001"]
    assert {row["up"] for row in own.rows("bowl")} == {"True"}
    for row in own.rows("bowl"):  # four corners carry the box's weight; the last of it is still settling
        assert float(row["press_N"]) == pytest.approx(9.81, rel=0.2)
    assert verdicts(own, "bowl")["up", "engine=3.11.0"] in ("same bits", "same digits")
    assert verdicts(own, "bowl")["height_m", "option.timestep=0.001"] == "moved"
    assert (own.folder / "figures/bowl.png").read_bytes().startswith(b"\x89PNG")
    assert not (own.clone.folder / "results/bowl.csv").exists()

    own.configure("bowl", BOWL | {"vary": BOWL["vary"] | {"geom.*.friction": [[0.1, 0.005, 0.0001]]}})
    assert own.audit("bowl").returncode == 0
    assert own.jobs() == Counter(audit_run=1, bowl_table=1, bowl_verdicts=1, bowl_card=1, bowl=1)

    own.write("scenes/floor.xml", FLOOR.replace('name="floor"', 'name="floor" friction="0.1"'))
    assert own.audit("bowl").returncode == 0
    assert own.jobs() == Counter(audit_ready=2, audit_run=4, bowl_table=1, bowl_verdicts=1, bowl_card=1, bowl=1)


COMPILE = "import mujoco; mujoco.mj_saveModel(mujoco.MjModel.from_xml_path('scenes/box.xml'), 'scenes/box.mjb', None)"


def test_a_compiled_scene_runs_as_what_it_was_compiled_from_and_both_are_on_a_page_of_their_own(own, request):
    subprocess.run([own.folder / ".engines/3.17.0/bin/python", "-c", COMPILE], cwd=own.folder, check=True)
    plain = BOWL | {"vary": {"option.timestep": [0.001]}}
    own.write("boxes.yaml", yaml.safe_dump({"audits": {"plain": plain, "compiled": plain | {"scene": "scenes/box.mjb"}}}))
    done = own.audit("boxes", "results/audits.html")
    assert done.returncode == 0, done.stdout
    assert own.rows("compiled") == own.rows("plain")
    page = own.folder / "results/audits.html"
    text = page.read_text(encoding="utf-8")
    assert text.count("<h1>") == 1
    assert re.findall(r"<h2>(.*)</h2>", text) == ["Audits: compiled", "Audits: plain", "Configuration"]
    assert text.count('<p class="said">2 of 3 measures move: ') == 2
    assert text.count('<img src="data:image/png') == 2
    if CHROMIUM:
        browser = request.getfixturevalue("browser")
        browser.open(page)
        assert browser.run("return [...document.images].every(image => image.complete && image.naturalWidth > 600);")
        browser.run("for (const fold of document.querySelectorAll('details')) fold.open = true;")
        browser.assert_nothing_went_wrong()


def test_what_must_stand_and_does_not_is_the_last_line_after_all_is_made(own):
    own.configure("bowl", BOWL | {"vary": {"option.timestep": [0.001]}, "required": ["height_m"]})
    done = own.audit("bowl")
    assert done.returncode != 0
    last = done.stdout.splitlines()[-1]
    assert "`height_m`" in last
    assert "option.timestep=0.001" in last
    assert (own.folder / "figures/bowl.png").exists()


def test_a_fault_that_only_the_compiled_scene_shows_is_one_job_and_one_line(own):
    own.configure("bowl", BOWL | {"allowed_overlap_m": 0, "start": {"qpos": {"free": [0, 0, 0.05, 1, 0, 0, 0]}}})
    own.write("scenes/box.xml", BOX.replace("<freejoint/>", '<freejoint name="free"/>'))
    done = own.audit("bowl", "--keep-going", "--config", "max_cells=100")
    assert done.returncode != 0
    assert done.stdout.splitlines()[-1].startswith("audit_ready.py: bowl: ")
    assert "overlap by" in done.stdout.splitlines()[-1]
    assert not list(own.folder.glob("results/audits/3.17.0/**/*.json"))


def test_a_variation_that_cannot_be_is_a_row_that_says_so(own):
    vary = {"engine": ["3.11.0"], "geom.box.friction": [[1, 2, 3, 4]], "option.integrator": ["RK4", "none"]}
    own.configure("bowl", BOWL | {"vary": vary})
    own.write("scenes/box.xml", BOX.replace("<worldbody>", '<option integrator="discrete"/><worldbody>', 1))  # from 3.13.0 on
    done = own.audit("bowl")
    assert done.returncode == 0, done.stdout
    found = {row["variation"]: row for row in own.rows("bowl")}
    assert found["option.integrator=RK4"]["status"] == "ran"
    assert "discrete" in found["engine=3.11.0"]["why"]
    assert found["reference"]["status"] == "ran"
    for variation in ("engine=3.11.0", "geom.box.friction=1_2_3_4", "option.integrator=none"):
        assert found[variation]["status"] == "cannot run"
        assert found[variation]["why"]
        assert verdicts(own, "bowl")["height_m", variation] == "cannot run"


def test_code_may_fail_end_never_and_not_run_on_a_version_and_the_other_runs_go_on(own):
    own.write("mine.py", CODE)
    vary = {"engine": ["3.11.0"], "way": ["raises", "endless", "list"]}
    audit = {"code": "mine.py", "grid": {"seed": [0, 1]}, "reference": {"engine": "3.17.0"}, "vary": vary}
    own.configure("mine", audit, cell_limit_s=1)
    done = own.audit("mine")
    assert done.returncode == 0, done.stdout
    ended = {(row["variation"], row["seed"]): (row["status"], row["why"]) for row in own.rows("mine")}
    assert ended["reference", "0"] == ended["way=raises", "0"] == ("ran", "")
    assert ended["way=list", "0"][0] == "failed"
    assert ended["way=list", "0"][1].startswith("TypeError: good is a list; allowed: a number, a text, or True or False")
    assert ended["engine=3.11.0", "1"] == ("cannot run", "ImportError: not with this version (mine.py, line 4)")
    assert ended["way=raises", "1"] == ("failed", "KeyError: 'nothing' (mine.py, line 9)")
    assert ended["way=endless", "0"][0] == "timed out"
    assert verdicts(own, "mine")["value", "engine=3.11.0"] == "cannot run"
    assert not list(own.folder.rglob("left.txt"))


def test_contactlab_is_a_module_of_a_workflow_that_audits(own):
    own.write("mine.py", "def measure():\n    return {'value': 1}\n")
    own.write("settings.yaml", yaml.safe_dump({"contact": {"audits": {"mine": {
        "code": "mine.py", "reference": {"engine": "3.17.0"}, "vary": {"way": [1]},
    }}}}))  # fmt: skip
    own.write(
        "Snakefile",
        f"""
configfile: "settings.yaml"
module contactlab:
    snakefile: {str(own.clone.folder / "Snakefile")!r}
    config: config["contact"]
use rule * from contactlab as contact_*
""",
    )
    command = [sys.executable, "-m", "snakemake", "--cores", "2", "contact_mine"]
    done = subprocess.run(command, cwd=own.folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found = list(csv.DictReader((own.folder / "results/mine.csv").open(encoding="utf-8")))
    assert [(row["variation"], row["status"]) for row in found] == [("reference", "ran"), ("way=1", "failed")]
    assert found[1]["why"].startswith("TypeError: measure() got an unexpected keyword argument 'way'")
