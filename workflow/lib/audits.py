"""Audits of the configuration: their runs, and what each depends on of the files of the user's own."""

import functools
import json
from collections.abc import Iterable, Iterator
from pathlib import Path

from packaging.version import Version
from snakemake.exceptions import WorkflowError

from lib import locks, own_scene, provenance
from lib.messages import ConfigError
from lib.plan import Plan
from records import audits, files, settings

FOLDER, POSES = "results/audits", "results/audits_poses"
ONLY_JUDGED = ("digits", "tolerance")  # of a measure; no run depends on them
OF_A_RUN = ("start", "allowed_overlap_m", "control", "duration_s", "measures", "outcome_code", "repeats", "series")


def resolved(name: str, audit: dict, key: str, envs: Path) -> dict:
    """An audit as scripts are told it: with its name, and with a list of versions under `vary.engine`. Raises ConfigError."""
    vary = audit["vary"]
    if "engine" in vary and not isinstance(vary["engine"], list):
        vary = vary | {"engine": _between(vary["engine"], f"{key}.vary.engine", envs)}
    return {"name": name} | audit | {"vary": vary}


def _between(asked: str | dict, key: str, envs: Path) -> list[str]:
    """Every version that has a lock, or those from one to another."""
    locked = locks.versions(envs)
    if asked == "all":
        return locked
    for end in ("from", "to"):
        if asked[end] not in locked:
            allowed = f"{', '.join(locked)}, or any after: make lock FROM={asked['from']} TO={asked['to']}"
            raise ConfigError(f"{key}.{end} is {asked[end]}, which has no lock in envs/; allowed: {allowed}")
    first, last = Version(asked["from"]), Version(asked["to"])
    if first > last:
        raise ConfigError(f"{key}.from is {asked['from']}, which is newer than {asked['to']}; allowed: the older one first")
    return [version for version in locked if first <= Version(version) <= last]


def own_code(audit: dict) -> Iterator[tuple[str, str, str]]:
    """The functions of the user's own that an audit calls: its key in the configuration, the file and the function."""
    if "code" in audit:
        yield "code", audit["code"], "measure"
    if "code" in audit.get("control", {}):
        yield "control.code", audit["control"]["code"], "control"
    if "outcome_code" in audit:
        yield "outcome_code", audit["outcome_code"], "outcomes"
    for name, measure in audit["measures"].items():
        if "code" in measure:
            yield f"measures.{name}.code", measure["code"], measure.get("function", name)


def lock_name(audit: str, version: str) -> str:
    """What the lock of an audit's own requirements for a MuJoCo version is called."""
    return f"audit-{audit}-{version}"


class Audit:
    """One audit under a plan: its runs by engine and cell, what is made of them, and what its jobs are told."""

    def __init__(self, plan: Plan, name: str, audit: dict) -> None:
        self.name, self._plan = name, plan
        self.audit = resolved(name, audit, f"config.audits.{name}", plan.envs)
        self.is_scene = "scene" in audit
        self.runs = {(run.engine, run.cell): run for run in audits.runs(self.audit)}
        self.cells = [run.path(Path(FOLDER)).as_posix() for run in self.runs.values()]
        self.table, self.verdicts, self.draws_series = f"results/{name}.csv", f"results/{name}_verdicts.csv", bool(drawn(audit))
        self.tables = {"audit_table.py": self.table, "audit_verdicts.py": self.verdicts}
        if len(timesteps(self.audit)) > 2:
            self.tables["audit_timestep.py"] = f"results/{name}_timestep.csv"
        figures = [name, f"{name}_series"] if self.draws_series else [name]
        self.results = [*self.tables.values(), *(f"figures/{figure}.{kind}" for figure in figures for kind in ("png", "svg"))]
        self.words = [json.dumps(self.audit)]
        answered = (plan.project / "workflow/report" / f"{name}.rst").exists()
        self.caption = name if answered else "audit"
        self._files = functools.cache(self._digests)

    @property
    def poses(self) -> list[str]:
        """The poses of the two runs of its storyboard, at the first place of the grid; none without one."""
        names = [audits.REFERENCE, self.audit["storyboard"]["variation"]] if "storyboard" in self.audit else []
        first = {run.variation: run for run in reversed(self.runs.values())}
        return [first[name].path(Path(POSES)).with_suffix(".npz").as_posix() for name in names]

    def caption_of(self, script: str) -> str:
        """The caption of a table by the script that writes it; that of the runs is the audit's."""
        return self.caption if self.tables[script] == self.table else Path(script).stem

    def title(self, table: str) -> str:
        """What a table is called in the report: "verdicts", and "runs" where its name is the audit's."""
        return Path(table).stem.removeprefix(self.name).strip("_") or "runs"

    @property
    def scene(self) -> str:
        """The path of its scene; that of a wheel is fetched there."""
        scene = self.audit["scene"]
        return scene if isinstance(scene, str) else f"{wheel_folder(scene)}/{Path(scene['file']).name}"

    @property
    def wheel(self) -> list[str]:
        """What says that the scene's wheel was fetched; nothing where it has none."""
        scene = self.audit["scene"]
        return [] if isinstance(scene, str) else [f"{wheel_folder(scene)}/{files.PROVENANCE}"]

    @property
    def requirements(self) -> bool:
        """Whether its code has an interpreter of its own on each engine."""
        return "requirements" in self.audit

    def engine(self, version: str) -> str:
        """The interpreter that its runs have on an engine."""
        return f"{version}+{self.name}" if self.requirements else version

    def lock(self, engine: str) -> Path:
        """The lock of that."""
        if self.requirements:
            return locks.named(self._plan.envs, lock_name(self.name, engine))
        return locks.of_engine(self._plan.envs, engine)

    def run_words(self, engine: str, cell: str) -> list[str]:
        """What one run is told, as one word. Raises WorkflowError for a cell that is none of its runs."""
        if (engine, cell) not in self.runs:
            raise WorkflowError(f"{self.name} has no run {cell} on {engine}; allowed: those of its grid and of its variations")
        return [json.dumps(self._told() | {"settings": self.runs[engine, cell].settings})]

    def ready_words(self, engine: str) -> list[str]:
        """What its check on an engine is told: all that each run is told but what is varied."""
        reference = {axis: value for axis, value in self.audit["reference"].items() if axis != "engine"}
        must = engine == self.audit["reference"]["engine"]
        return [json.dumps(self._told() | {"settings": reference, "must": must})]

    def _told(self) -> dict:
        if not self.is_scene:
            return {"audit": self.name, "code": self.audit["code"], "files": self._files()}
        told = {key: self.audit[key] for key in OF_A_RUN if key in self.audit}
        measures, series = measured(self.audit), drawn(self.audit)
        return {"audit": self.name} | told | {"measures": measures, "series": series, "files": self._files()}

    def _digests(self) -> dict[str, str]:
        """What the files of the user's own hold, by their path."""
        found = {path: provenance.own_code(Path(path)) for _, path, _ in own_code(self.audit)}
        if recording := self.audit.get("control", {}).get("recording"):
            found[recording] = provenance.contents([recording])
        if self.is_scene and isinstance(self.audit["scene"], str):
            found[self.audit["scene"]] = f"contents {own_scene.digest(self.audit['scene'])[:16]}"
        return dict(sorted(found.items()))


def measured(audit: dict) -> dict[str, dict]:
    """The measures of a scene without what only judges them."""
    return {
        name: {key: part for key, part in measure.items() if key not in ONLY_JUDGED}
        for name, measure in audit["measures"].items()
    }


def drawn(audit: dict) -> list[str]:
    """The measures that are drawn over time."""
    series = audit["series"]
    return series if isinstance(series, list) else series["measures"]


def chosen(audit: dict) -> dict[str, list[str]]:
    """The variations that are named to be drawn, by their key in the audit."""
    series, story = audit["series"], audit.get("storyboard")
    named = {"storyboard.variation": [story["variation"]]} if story else {}
    return named | ({"series.variations": series["variations"]} if isinstance(series, dict) and "variations" in series else {})


def timesteps(audit: dict) -> list[str]:
    """The variations that move the timestep, and the reference."""
    return list(dict.fromkeys(run.variation for run in audits.runs(audit) if run.axis in (None, "option.timestep")))


def wheel_folder(scene: dict) -> str:
    """Where the folder of a scene in a wheel is put, below which its file lies."""
    return f"results/models/{scene['lock']}-{Path(scene['file']).parent.as_posix().replace('/', '.')}"


def wheels(found: Iterable[Audit]) -> dict[str, dict]:
    """The scenes in wheels, one for each folder that is fetched."""
    scenes = [audit.audit["scene"] for audit in found if audit.is_scene]
    return {wheel_folder(scene): scene for scene in scenes if isinstance(scene, dict)}


def wheel_words(scene: dict) -> list[str]:
    """What fetches the folder of a scene in a wheel."""
    file = Path(scene["file"])
    return settings.to_words({"source": "wheel", "folder": file.parent.as_posix(), "file": file.name})


def of_plan(plan: Plan) -> dict[str, Audit]:
    """All audits of the configuration by name."""
    return {name: Audit(plan, name, audit) for name, audit in plan.config["audits"].items()}
