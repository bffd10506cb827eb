"""The contacts of a whole run against those of each step, to the last bit."""

import mujoco
import numpy as np
import pytest

from contactlab import contact_tape
from contactlab.contact_tape import ContactLog, ContactTape, PairSeries
from contactlab.contacts import SPECULATIVE, Between
from contactlab.grasp import cone_use

SCENE = """
<mujoco><option cone="{cone}" timestep=".004"/>
  <worldbody>
    <geom name="floor" type="plane" size="1 1 .1" condim="{condim}" margin=".02" gap=".015"/>
    {boxes}
  </worldbody>
</mujoco>
"""
BOX = """<body name="b{n}" pos="{x} {y} {z}" euler="{x} {y} {z}"><freejoint/>
  <geom name="b{n}" type="box" size=".05 .04 .03" mass="1" condim="{condim}" margin=".02" gap=".015"/></body>"""
QUANTITIES = ("force_N", "friction_N", "depth_m", "count", "near_count", "cone_use", "slip_m_per_s", "first_time_s")
CASES = [
    ("pyramidal", 1),
    ("pyramidal", 3),
    ("pyramidal", 4),
    ("pyramidal", 6),
    ("elliptic", 1),
    ("elliptic", 3),
    ("elliptic", 6),
]


def heap(cone: str, condim: int, seed: int = 0) -> mujoco.MjModel:
    """Six boxes that fall on each other, turned in degrees as they are placed."""
    places = np.random.default_rng(seed).uniform([-0.05, -0.05, 0], [0.05, 0.05, 0.3], (6, 3))
    boxes = "".join(BOX.format(n=n, x=x, y=y, z=0.1 + z + 0.1 * n, condim=condim) for n, (x, y, z) in enumerate(places))
    return mujoco.MjModel.from_xml_string(SCENE.format(cone=cone, condim=condim, boxes=boxes))


def looked_at(between: Between, data: mujoco.MjData) -> dict:
    """What the contacts of one step are, contact by contact."""
    records, touches = between.each(), between.touches()
    pressing = [record for record in records if record.normal_N is not None and record.normal_N > 0]
    used = cone_use(touches.local_N, data.contact.friction[touches.index, 0])
    return {
        "force_N": sum(record.normal_N for record in pressing),
        "friction_N": touches.friction_N,
        "depth_m": max([0.0, *(record.depth_m for record in records)]),
        "count": len(pressing),
        "near_count": len(records) - len(pressing),
        "cone_use": used.max() if len(used) else None,
        "slip_m_per_s": between.slip_m_per_s(touches).max() if len(used) else None,
        "first_time_s": bool(pressing),
    }


def both_ways(model: mujoco.MjModel, steps: int = 300) -> tuple[dict, dict]:
    """The samples of a run from its tape, and step by step."""
    data, first = mujoco.MjData(model), [model.geom("b0").id, model.geom("b1").id]
    second = np.setdiff1d(np.arange(model.ngeom), first)
    series, between = PairSeries(model, first, second), Between(model, data, first, second)
    taped = {quantity: series.ask(quantity) for quantity in QUANTITIES}
    tape, each = ContactTape(model, data, [series]), {quantity: [] for quantity in QUANTITIES}
    for _ in range(steps):
        mujoco.mj_step(model, data)
        tape.see()
        for quantity, value in looked_at(between, data).items():
            each[quantity].append(value)
    tape.finish()
    return taped, each


@pytest.mark.parametrize(("cone", "condim"), CASES)
def test_a_tape_has_what_each_step_has(cone, condim):
    taped, each = both_ways(heap(cone, condim))
    assert max(each["count"]) > 3
    assert max(each["near_count"]) > 0
    for exact in ("force_N", "depth_m", "count", "near_count", "first_time_s"):
        assert taped[exact] == each[exact], exact
    assert taped["friction_N"] == pytest.approx(each["friction_N"], rel=1e-12, abs=1e-12)
    for largest in ("cone_use", "slip_m_per_s"):
        known = [[value is not None for value in found[largest]] for found in (taped, each)]
        assert known[0] == known[1]
        values = [[value for value in found[largest] if value is not None] for found in (taped, each)]
        assert values[0] == pytest.approx(values[1], rel=1e-12)


@pytest.mark.skipif(not SPECULATIVE, reason="this MuJoCo has no speculative contacts")
def test_depths_of_speculative_contacts_are_measured_between_the_geoms():
    model = heap("pyramidal", 3)
    model.opt.enableflags |= int(SPECULATIVE)
    taped, each = both_ways(model)
    assert (taped["depth_m"], taped["force_N"]) == (each["depth_m"], each["force_N"])


def test_a_run_worked_out_in_parts_is_the_same(monkeypatch):
    model = heap("elliptic", 3)
    whole = both_ways(model)[0]
    monkeypatch.setattr(contact_tape, "ROOM", 37)
    assert both_ways(model)[0] == whole


def test_a_log_in_parts_is_the_same_and_each_touch_that_is_lost_was_found(monkeypatch):
    logs = []
    for room in (contact_tape.ROOM, 37):
        monkeypatch.setattr(contact_tape, "ROOM", room)
        model = heap("elliptic", 3)
        data, log = mujoco.MjData(model), ContactLog(model, 1000)
        tape = ContactTape(model, data, [log])
        for _ in range(300):
            mujoco.mj_step(model, data)
            tape.see()
        tape.finish()
        logs.append(log.entries)
    assert logs[0] == logs[1]
    touching = set()
    for _, _, sign, *pair in logs[0]:
        assert (tuple(pair) in touching) == (sign == "-")
        touching ^= {tuple(pair)}
    assert len(logs[0]) > 20
    assert touching


def test_a_log_ends_where_it_is_full():
    model = heap("elliptic", 3)
    data, log = mujoco.MjData(model), ContactLog(model, 5)
    tape = ContactTape(model, data, [log])
    for _ in range(300):
        mujoco.mj_step(model, data)
        tape.see()
    tape.finish()
    assert len(log.entries) == 5
