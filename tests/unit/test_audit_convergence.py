"""Which timestep of an audit suffices, and for which of its measures none does."""

import pytest
from audit_records import bowl, ended, record, write

from records import audit_convergence, audit_headline, audit_tables, files

TIMESTEPS = [0.001, 0.002, 0.004, 0.008]  # 0.002 is the reference's


def first_order(timestep_s: float) -> float:
    return 0.04 + 0.1 * timestep_s


def runs(height_m, again: tuple[float, ...] = (), **words) -> dict[str, dict]:
    """Records over the timesteps, heights by a function of the timestep; the reference's moved starts are so far from it."""
    found = {}
    for place, timestep_s in enumerate(TIMESTEPS):
        name = "reference" if timestep_s == 0.002 else f"option.timestep={timestep_s}"
        moved = tuple({"height_m": height_m(timestep_s) + far} for far in again)
        told = {key: values[place] for key, values in words.items()}
        found[name] = record(again=moved, height_m=height_m(timestep_s), **told) | {"timestep_s": timestep_s}
    return found


def study(folder, records: dict[str, dict], **changed) -> tuple[dict[str, dict], str]:
    """The rows by measure, and the sentence."""
    timesteps = [timestep_s for timestep_s in TIMESTEPS if timestep_s != 0.002]
    audit = bowl(vary={"option.timestep": timesteps, "engine": ["4.0.0"]}, **changed)
    rows = audit_convergence.rows(audit, audit_tables.read(write(folder, audit, records), audit))
    files.write_csv(folder / "bowl_timestep.csv", rows)
    return {row["measure"]: row for row in rows}, audit_headline.timestep_sentence(folder / "bowl_timestep.csv")


def with_tolerance(tolerance_m: float) -> dict:
    return {"height_m": {"body": "bowl", "quantity": "z_m", "tolerance": tolerance_m}}


@pytest.mark.parametrize(
    ("tolerance_m", "suffices_s"),
    [(5e-5, None), (1.5e-4, 0.001), (2.5e-4, 0.002), (7e-4, 0.004), (1.0, 0.008)],  # 0.1 timesteps off the value at 0
)
def test_the_largest_timestep_within_a_tolerance_of_the_value_at_0(tmp_path, tolerance_m, suffices_s):
    rows, _ = study(tmp_path, runs(first_order), measures=with_tolerance(tolerance_m))
    row = rows["height_m"]
    assert (row["verdict"], row["suffices_s"], row["allowed_by"]) == ("converges", suffices_s, "tolerance")
    assert (row["order"], row["value_at_0"]) == (pytest.approx(1, rel=1e-6), pytest.approx(0.04, rel=1e-9))
    assert row["grid_convergence_index"] == pytest.approx(1.25 * 1e-4, rel=1e-6)
    assert row["timesteps_s"] == "0.001 0.002 0.004 0.008"


def test_without_a_tolerance_the_width_of_the_band_is_allowed(tmp_path):
    row = study(tmp_path, runs(first_order, again=(-2e-5, 3e-5)))[0]["height_m"]
    assert (row["verdict"], row["suffices_s"], row["allowed_by"]) == ("converges", None, "band")
    assert row["allowed"] == pytest.approx(5e-5)
    row = study(tmp_path / "wide", runs(first_order, again=(-5e-4, 5e-4)))[0]["height_m"]
    assert (row["verdict"], row["suffices_s"], row["against"]) == ("noise", 0.008, "the finest timestep")


def test_an_outcome_suffices_up_to_where_it_changes(tmp_path):
    rows, sentence = study(tmp_path, runs(lambda h: 0.04, through=["kept", "kept", "missed", "kept"]))
    assert (rows["through"]["verdict"], rows["through"]["suffices_s"]) == ("changes", 0.002)
    assert (rows["height_m"]["verdict"], rows["seated"]["suffices_s"]) == ("same at all timesteps", 0.008)
    assert sentence == "option.timestep=0.002 is the largest that suffices for 3 measures"


def test_what_does_not_converge_is_told(tmp_path):
    heights = dict(zip(TIMESTEPS, [0.04, 0.05, 0.03, 0.06], strict=True))
    rows, sentence = study(tmp_path, runs(heights.get), measures=with_tolerance(1.0), outcomes={})
    assert (rows["height_m"]["verdict"], rows["height_m"]["suffices_s"]) == ("oscillates", None)
    assert (
        sentence
        == "option.timestep=0.008 is the largest that suffices for 1 of 2 measures; `height_m` does not converge (oscillates)"
    )


def test_a_number_without_band_and_tolerance_is_judged_by_its_digits(tmp_path):
    assert study(tmp_path, runs(first_order), outcomes={})[1].endswith("`height_m` needs a finer one, or a tolerance")
    fine = {"height_m": {"body": "bowl", "quantity": "z_m", "digits": ".3f"}}
    assert study(tmp_path / "fine", runs(first_order), measures=fine)[0]["height_m"]["suffices_s"] == 0.004  # 0.0404 m


def test_what_differs_by_rounding_suffices_at_every_timestep_to_its_digits(tmp_path):
    rows, _ = study(tmp_path, runs(lambda h: 0.04 + 1e-16 * (h == 0.002), again=(1e-17,)))
    assert (rows["height_m"]["verdict"], rows["height_m"]["suffices_s"]) == ("noise", 0.008)


def test_runs_that_ended_are_left_out(tmp_path):
    lost = {"option.timestep=0.001": ended("failed", "it raised"), "option.timestep=0.008": ended("timed out")}
    rows, sentence = study(tmp_path, runs(first_order) | lost, outcomes={})
    assert (rows["height_m"]["verdict"], rows["height_m"]["timesteps_s"]) == ("too few timesteps", "0.002 0.004")
    assert sentence.endswith("`height_m` has too few timesteps")
