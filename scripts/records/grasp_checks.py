"""What lesson 16 builds from scratch, steps 1 to 5: one row for each number, in long form, with SciPy as the referee."""

import numpy as np
import pandas as pd
from scipy.stats import binomtest

from contactlab.grasp import GRAVITY_M_S2, cone_ratio, max_mass, squeeze_from_cap
from contactlab.machine import minimum_jerk
from contactlab.statistics import band, wilson
from records import tables

END_STEP = 1e-5  # inferred
CASE = ("mu", "mass_kg", "cap_Nm", "position")  # the axes that a case of the published checks names


def step1(claims: pd.DataFrame) -> list[dict]:
    """The published cone ratios from the published squeezes, and the heaviest masses."""
    rows = []
    for part in ("A", "B", "C"):
        printed = claims[claims["section"] == part].pivot(index="case", columns="quantity", values="published")
        printed = printed[["squeeze", "cone_ratio"]].apply(pd.to_numeric, errors="coerce").dropna()
        axes = [dict(pair.split("=") for pair in case.split(";")) for case in printed.index]
        ours = [
            cone_ratio(float(axis["mu"]), [squeeze], float(axis["mass"]))
            for axis, squeeze in zip(axes, printed["squeeze"], strict=True)
        ]
        rows.append({"part": part, "quantity": "max_abs_ratio_difference", "value": abs(ours - printed["cone_ratio"]).max()})
    rows += [
        {"mu": mu, "squeeze_N": squeeze, "quantity": "max_mass", "value": max_mass(mu, [squeeze])}
        for mu, squeeze in ((0.05, 12.74), (0.3, 16.25))  # published
    ]
    return rows


def step2(record: dict) -> list[dict]:
    """Inside a held grasp at the end of the hold: contacts, their vertical force against the weight, the fullest cone."""
    axes, (pick, *others) = case(record), picks(record)
    names = {"jaw_contacts": "jaw_contacts", "vertical_force_N": "sum_vertical_force", "largest_cone_use": "max_cone_use"}
    rows = [
        axes | {"quantity": quantity, "value": pick["hold"][name]} | ends([other["hold"][name] for other in (pick, *others)])
        for name, quantity in names.items()
    ]
    return [*rows, axes | {"quantity": "weight", "value": record["settings"]["mass_kg"] * GRAVITY_M_S2}]


def step3(record: dict) -> list[dict]:
    """The squeeze that the torque cap gives, 2 cap / r, against the one measured when the close ended.

    The jaw's lever arm r and the balance of the jaws are read at the end of the hold.
    """
    axes, all_picks = case(record), picks(record)
    cap_Nm, loss_Nm = record["settings"]["cap_Nm"], record["jaw_frictionloss_Nm"]
    measured = [
        {
            "jaw_lever_arm": 100 * pick["hold"]["lever_arm_m"],
            "ideal_squeeze": squeeze_from_cap(cap_Nm, pick["hold"]["lever_arm_m"]),
            "squeeze": pick["squeeze_N"],
            "fixed_over_moving": pick["hold"]["force_fixed_N"] / pick["hold"]["force_moving_N"],
            "weakest": squeeze_from_cap(cap_Nm - loss_Nm, pick["hold"]["lever_arm_m"]),
            "strongest": squeeze_from_cap(cap_Nm + loss_Nm, pick["hold"]["lever_arm_m"]),
        }
        for pick in all_picks
        if pick["outcome"] == "held"
    ]
    bands = {name: [pick[name] for pick in measured] for name in measured[0]}
    low, high = bands.pop("weakest"), bands.pop("strongest")
    rows = [axes | {"quantity": name, "value": values[0]} | ends(values) for name, values in bands.items()]
    rows.append(axes | {"quantity": "squeeze_band", "value": low[0], "upper": high[0]} | ends(low) | ends(high, "upper"))
    return [*rows, {"quantity": "jaw_friction_loss", "value": loss_Nm}]


def step4(machine: dict) -> list[dict]:
    """Minimum jerk's middle, peak speed and rates at both ends, and the machine driven by hand against `scripted_pick`.

    The rates are finite differences; an acceleration of 60 u near the start makes the published bound that of a step of 1e-5.
    """
    u = np.linspace(0, 1, 1001)
    speed = np.gradient([minimum_jerk(value) for value in u], u)
    start, end = ([minimum_jerk(edge + sign * k * END_STEP) for k in range(3)] for edge, sign in ((0, 1), (1, -1)))
    rates = [difference for blend in (start, end) for difference in (np.diff(blend)[0], np.diff(blend, 2)[0] / END_STEP)]
    values = {
        "minjerk_mid": minimum_jerk(0.5),
        "minjerk_peak_speed": speed.max(),
        "minjerk_end_rate": abs(np.array(rates)).max() / END_STEP,
        "state_machine_max_qpos_difference": machine.get("max_qpos_difference_rad"),  # none where it timed out
    }
    return [{"quantity": name, "value": value} for name, value in values.items() if value is not None]


def step5() -> list[dict]:
    """Wilson's interval, and its largest distance from SciPy's, which has one more digit of the normal quantile."""
    rows = []
    for k, n in ((2, 10), (10, 10), (0, 10)):  # published
        low, high = wilson(k, n)
        referee = binomtest(k, n).proportion_ci(method="wilson")
        rows.append({"k": k, "n": n, "quantity": "wilson_interval", "value": low, "upper": high})
        apart = max(abs(low - referee.low), abs(high - referee.high))
        rows.append({"k": k, "n": n, "quantity": "wilson_vs_scipy", "value": apart})
    return rows


def case(record: dict) -> dict:
    """The axes that name a record's case, and whether the solver of its pick stopped at a limit of its own."""
    return {axis: record["settings"][axis] for axis in CASE} | {"truncated": tables.truncated(record["result"])}


def picks(record: dict) -> list[dict]:
    """The pick and its perturbed repetitions."""
    return [record["result"], *record["perturbed"]]


def ends(values: list[float], column: str = "value") -> dict:
    """The band of a column's value as two columns; without perturbed picks there is none."""
    found = band(values) if len(values) > 1 else None
    return {f"{column}_low": found and found[0], f"{column}_high": found and found[1]}


def checks(records: list[dict], machine: dict, claims: pd.DataFrame) -> pd.DataFrame:
    """All steps. Held picks are looked into as in step 2; those whose squeeze their cap decides, also as in step 3."""
    sections = {"step1": step1(claims), "step2": [], "step3": [], "step4": step4(machine), "step5": step5()}
    for record in records:
        if record["result"]["outcome"] == "held":
            sections["step2"] += step2(record)
            sections["step3"] += step3(record)
    rows = [{"section": section} | row for section, rows in sections.items() for row in rows]
    return pd.DataFrame(rows).drop_duplicates()
