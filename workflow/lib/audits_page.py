"""What the page of audits shows, in a folder that may have nothing published."""

from collections.abc import Iterable

from lib import provenance, shown
from lib.plan import Plan


class AuditsPage(shown.Page):
    """The page of audits and of nothing else; `results` are their files."""

    def __init__(self, plan: Plan, workflow, results: Iterable[str]) -> None:
        super().__init__(plan, workflow, results, [])

    def _shown(self) -> dict:
        config = {"audits": self._plan.config["audits"]}
        machine = provenance.machine().removeprefix("machine ")
        headline = {"sentence": f"Audits: {', '.join(config['audits'])}", "machines": [machine], "engines": []}
        return {"headline": headline, "sections": shown.by_section(map(shown.placed, self._results)), "config": config}

    def _left_there(self) -> list[shown.Result]:
        return []
