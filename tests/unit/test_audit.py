"""Runs of any scene: the drop and a closed form as audits, marks, logs, repeats, and what is refused."""

import pytest
from conftest import drop_scene

from contactlab import attributes, drop
from contactlab.audit import Audit
from contactlab.marks import to_text
from contactlab.runs import marked_steps

DROP = {  # the published nominal drop, with what both it and an audit measure
    "duration_s": 2,
    "measures": {
        "final_z_m": {"body": "cube", "quantity": "z_m"},
        "lowest_centre_m": {"body": "cube", "quantity": "z_m", "at": "smallest"},
        "first_touch_time_s": {"contact": ["cube", "table"], "quantity": "first_time_s"},
        "largest_force_N": {"contact": ["cube", "table"], "quantity": "force_N", "at": "largest"},
        "largest_depth_m": {"contact": ["cube", "table"], "quantity": "depth_m", "at": "largest"},
        "passage": {"passage": ["cube", "table"]},
    },
}
MODES = {"none": "kept"}  # what a drop calls otherwise


@pytest.mark.parametrize("dt_ms", [1, 2, 3, 8, 10, 12, 15, 25])
@pytest.mark.parametrize("integrator", ["Euler", "RK4"])
def test_the_published_drop_as_an_audit_gives_its_numbers_bit_for_bit(dt_ms, integrator):
    expected, model = drop.run(drop_scene(), dt_ms, integrator, duration_s=2), drop_scene()
    attributes.apply(model, {"option.timestep": dt_ms / 1000, "option.integrator": integrator})
    result = Audit(model, DROP).run()["result"]
    mode = expected.pop("failure_mode")
    assert result["passage"] == MODES.get(mode, mode)
    same = {"final_z_m", "first_touch_time_s", "largest_force_N", "largest_depth_m", "digest", "at_iterations", "solved_steps"}
    same |= {"lowest_centre_m"} if expected["outcome"] == "kept" else set()
    assert {key: result[key] for key in same} == {key: expected[key] for key in same}


def test_the_drops_marks_are_those_of_its_experiment():
    with marked_steps() as theirs:
        drop.run(drop_scene(), 2, "Euler", duration_s=0.6)
    with marked_steps() as ours:
        Audit(drop_scene(), DROP | {"duration_s": 0.6}).run()
    assert to_text(ours) == to_text(theirs)
