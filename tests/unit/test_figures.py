"""What figures say: a title for each panel that tells it apart."""

import impact_figure


def drop_record(**axes) -> dict:
    """A cell of a drop, as far as the title of its panel reads it."""
    cell = {"dt_ms": 2, "integrator": "Euler", "solref": [0.02, 1], "cube_mass_kg": 0.1} | axes
    return {"mujoco": "3.17.0", "settings": cell, "result": {"failure_mode": "none"}}


def titles(*records: dict) -> list[str]:
    moved = impact_figure.moved_axes(list(records))
    return [impact_figure.title(record, moved) for record in records]


def test_panels_over_the_timestep_are_titled_by_timestep_and_integrator():
    assert titles(drop_record(), drop_record(dt_ms=0.5)) == ["dt 2 ms, Euler\nkept", "dt 0.5 ms, Euler\nkept"]


def test_panels_over_any_axis_carry_what_it_moves():
    moved = [{"solref": [0.02, 1]}, {"solref": [0.005, 1]}, {"solref": [0.005, 1], "cube_mass_kg": 1}]
    found = titles(*(drop_record(**axes) for axes in moved), drop_record() | {"mujoco": "4.0.0"})
    assert len(set(found)) == 4
    assert found[1] == "dt 2 ms, Euler\nengine 3.17.0\nsolref 0.005 1\ncube_mass_kg 0.1\nkept"
