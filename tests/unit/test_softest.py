"""The search for the softest solref that keeps a cube, on thresholds that are known."""

import mujoco
import pytest
from conftest import SCENE, drop_scene

from contactlab import drop, softest
from contactlab.drop_scene import drop_mjcf


@pytest.mark.parametrize("threshold_s", [0.0123456, 0.05, 0.0999])
def test_the_search_finds_a_known_threshold(threshold_s):
    found = softest.search(lambda timeconst_s: timeconst_s <= threshold_s)
    assert found["softest_s"] == pytest.approx(threshold_s, abs=2 * softest.TOLERANCE_S)
    assert found["softest_s"] <= threshold_s
    assert found["monotone"]


def test_no_time_constant_goes_with_a_stiffness():
    with pytest.raises(ValueError, match=r"solref is \[-10000.0, 0.0\], without a damping ratio; allowed: a time constant"):
        softest.softest(drop_scene(solref=[-10000, 0]), 8, "Euler", 2)


def test_the_search_says_where_stiffer_is_not_safer():
    found = softest.search(lambda timeconst_s: timeconst_s < 0.01 or 0.02 < timeconst_s < 0.03)
    assert found["softest_s"] == pytest.approx(0.03, abs=2 * softest.TOLERANCE_S)
    assert not found["monotone"]
    assert found["reliable_s"] == max(value for value in softest.COARSE_S if value < 0.01)


@pytest.mark.parametrize(("always", "kept"), [(True, 94), (False, 0)])
def test_the_search_without_a_threshold(always, kept):
    found = softest.search(lambda timeconst_s: always)
    assert found["softest_s"] is None
    assert found["monotone"]
    assert (found["kept"] > 0) == (kept > 0)


def test_a_time_constant_set_in_the_model_is_one_written_in_mjcf():
    """The search changes the compiled model; the outcome flips at the same place in a scene made from text."""
    softest_s = softest.softest(drop_scene(), 8, "Euler", 2)["softest_s"]
    for factor, outcome in ((1 - 1e-3, "kept"), (1 + 1e-3, "passed")):
        mjcf = drop_mjcf(**SCENE | {"solref": [softest_s * factor, 1]})
        assert drop.run(mujoco.MjModel.from_xml_string(mjcf), 8, "Euler", 2)["outcome"] == outcome
