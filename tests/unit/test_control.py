"""What drives a scene: at its own rate whatever the timestep is, and refused where a recording has holes."""

import mujoco
import numpy as np
import pytest

from contactlab.control import ConstantControl, FunctionControl, RecordedControl

SCENE = """
<mujoco>
  <worldbody>
    <body><joint name="a" type="slide"/><geom size=".1"/></body><body><joint name="b" type="slide"/><geom size=".1"/></body>
  </worldbody>
  <actuator><motor name="left" joint="a"/><motor name="right" joint="b"/></actuator>
</mujoco>
"""
RATE_S = 0.02
TIMESTEPS = [0.0005, 0.001, 0.002, 0.003, 0.007, 0.02, 0.03]


def scene(timestep_s: float = 0.002) -> tuple[mujoco.MjModel, mujoco.MjData]:
    model = mujoco.MjModel.from_xml_string(SCENE)
    model.opt.timestep = timestep_s
    return model, mujoco.MjData(model)


def driven(control, model, data, steps: int) -> np.ndarray:
    """(steps, 2) the controls with which each step was taken."""
    before, given = control.begin(model, data, steps), []
    for step in range(steps):
        if before:
            before(step)
        given.append(data.ctrl.copy())
        mujoco.mj_step(model, data)
    return np.array(given)


def recording(model, samples: int = 200, rate_s: float = RATE_S) -> RecordedControl:
    """Sample n is n for the right one and -n for the left one."""
    numbers = np.arange(samples)
    return RecordedControl(model, numbers * rate_s, ["right", "left"], np.column_stack([numbers, -numbers]))


def test_a_constant_holds_and_leaves_the_others():
    model, data = scene()
    data.ctrl[:] = 5
    assert driven(ConstantControl(model, {"right": 2}), model, data, 3).tolist() == [[5, 2]] * 3


@pytest.mark.parametrize("timestep_s", TIMESTEPS)
def test_a_sample_holds_until_the_next_ones_time_whatever_the_timestep_is(timestep_s):
    """In whole microseconds, where there is no rounding, the sample of a step is its start over the rate, rounded down."""
    model, data = scene(timestep_s)
    steps = 1000
    given = driven(recording(model, samples=2000), model, data, steps)
    expected = np.arange(steps) * round(timestep_s * 1e6) // round(RATE_S * 1e6)
    assert given.tolist() == np.column_stack([-expected, expected]).tolist()


@pytest.mark.parametrize("timestep_s", TIMESTEPS)
def test_a_function_is_called_at_its_own_rate_whatever_the_timestep_is(timestep_s):
    model, data = scene(timestep_s)
    calls = []
    steps = 1000
    driven(FunctionControl(lambda: lambda model, data: calls.append(data.time), RATE_S), model, data, steps)
    starts = np.arange(steps) * round(timestep_s * 1e6)
    periods = starts // round(RATE_S * 1e6)
    expected = starts[np.flatnonzero(np.diff(periods, prepend=-1))] / 1e6
    assert calls == pytest.approx(expected.tolist(), abs=1e-9)


def test_a_recording_made_step_by_step_gives_each_step_its_own_sample():
    """Its times are the engine's clock, which adds up timesteps."""
    model, data = scene(0.0007)
    times_s, controls = [], np.random.default_rng(0).normal(size=(3000, 2))
    for control in controls:
        times_s.append(data.time)
        data.ctrl[:] = control
        mujoco.mj_step(model, data)
    replayed = mujoco.MjData(model)
    given = driven(RecordedControl(model, times_s, ["left", "right"], controls), model, replayed, 3000)
    assert given.tolist() == controls.tolist()
    assert replayed.qpos.tolist() == data.qpos.tolist()


@pytest.mark.parametrize("returns", [True, False])
def test_a_function_sets_or_returns_its_controls(returns):
    model, data = scene()

    def control(model, data):
        if returns:
            return [data.time, 1]
        data.ctrl[:] = [data.time, 1]
        return None

    given = driven(FunctionControl(lambda: control, 0.004), model, data, 4)
    assert given == pytest.approx(np.array([[0, 1], [0, 1], [0.004, 1], [0.004, 1]]))


def test_each_run_has_a_function_of_its_own():
    model, _ = scene()
    made = []

    def load():
        made.append([])
        return lambda model, data: made[-1].append(data.time)

    control = FunctionControl(load, 0.002)
    for _ in range(2):
        driven(control, model, mujoco.MjData(model), 3)
    assert [len(calls) for calls in made] == [3, 3]


def test_a_function_finds_the_start_worked_out_and_the_solver_as_it_was():
    model = mujoco.MjModel.from_xml_string("""
        <mujoco><worldbody><geom type="plane" size="1 1 1"/>
        <body name="ball" pos="0 0 .09"><freejoint/><geom size=".1"/></body></worldbody></mujoco>""")
    data, seen = mujoco.MjData(model), []
    before = FunctionControl(lambda: lambda model, data: seen.append((data.body("ball").xpos[2], data.ncon)), 1).begin(
        model, data, 1
    )
    before(0)
    assert seen == [(0.09, 1)]
    assert not data.qacc_warmstart.any()


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda model: ConstantControl(model, {"up": 1}), "the model has no actuator 'up'; allowed: left, right"),
        (
            lambda model: ConstantControl(model, {"left": float("inf")}),
            "control.constant.left is inf; allowed: a finite number",
        ),
        (
            lambda model: RecordedControl(model, [0, 1], ["left"], [[1], [1]]),
            "the recording lacks right; allowed: each actuator",
        ),
        (lambda model: RecordedControl(model, [0], ["left", "up"], [[1, 1]]), "the model has no actuator 'up'"),
        (lambda model: RecordedControl(model, [0], ["left", "right", "left"], [[1] * 3]), "has an actuator twice"),
        (
            lambda model: RecordedControl(model, [0, 1], ["left", "right"], [[1, 1]]),
            "allowed: a number for each time and actuator",
        ),
        (
            lambda model: RecordedControl(model, [0.5, 1], ["left", "right"], [[1, 1]] * 2),
            "the recording, which begins at 0.5 s; allowed: a first sample at 0 s",
        ),
        (
            lambda model: RecordedControl(model, [0, 1, 2, 4, 5], ["left", "right"], [[1, 1]] * 5),
            "the recording, which has a gap from 2.0 s to 4.0 s; allowed: a sample about every 1 s",
        ),
        (
            lambda model: RecordedControl(model, [0, 1, 1, 2], ["left", "right"], [[1, 1]] * 4),
            "where 1.0 s follows 1.0 s; allowed: times that rise",
        ),
        (
            lambda model: RecordedControl(model, [0, np.nan, 2], ["left", "right"], [[1, 1]] * 3),
            "where time_s is nan in sample 1",
        ),
        (
            lambda model: RecordedControl(model, [0, 1], ["left", "right"], [[1, 1], [np.nan, 1]]),
            "the recording, where left is nan in sample 1; allowed: a finite number",
        ),
        (lambda model: FunctionControl(lambda: None, 0), "control.rate_s is 0; allowed: a finite number of seconds above 0"),
    ],
)
def test_a_control_that_is_none_is_refused_in_one_line(make, said):
    with pytest.raises(ValueError) as caught:  # noqa: PT011
        make(scene()[0])
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.skipif(not hasattr(mujoco.MjModel, "nactuator"), reason="this MuJoCo has one control an actuator")
def test_a_scene_with_an_actuator_of_several_controls_is_refused():
    """Names and numbers of controls are then no longer those of actuators."""
    model = mujoco.MjModel.from_xml_string(SCENE.replace("</actuator>", '<pid name="pid" joint="a" kp="1"/></actuator>'))
    with pytest.raises(ValueError, match="some actuators of the model take or give several numbers; allowed beside 'left'"):
        ConstantControl(model, {"left": 1})


def test_a_recording_that_ends_before_the_run_is_refused():
    model, data = scene(0.002)
    control = recording(model, samples=10)  # the last sample holds until 0.2 s
    control.begin(model, data, 100)
    with pytest.raises(ValueError, match=r"the recording ends at 0.2 s, the run at 0.202 s; allowed: one that lasts as long"):
        control.begin(model, data, 101)


@pytest.mark.parametrize(
    ("returned", "said"),
    [([1], r"the control returned an array of \(1,\); allowed: \(2,\)"), ([1, np.nan], "gave actuator 'right' nan at 0 s")],
)
def test_a_function_that_returns_no_controls_is_named(returned, said):
    model, data = scene()
    before = FunctionControl(lambda: lambda model, data: returned, 1).begin(model, data, 1)
    with pytest.raises(ValueError, match=said):
        before(0)
