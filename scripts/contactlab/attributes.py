"""Attributes of a compiled model by name: option.timestep, option.flag.gravity, geom.NAME.friction, body.*.mass.

An axis is `option.FIELD`, `option.flag.NAME`, or KIND.NAME.FIELD, where NAME is one of the model's names or `*` for all of the
kind. Fields have MJCF's names, and the units of the compiled model: m, kg, s, N, rad. They are set on the compiled model, so
that nothing is lost by writing it anew. What the compiler has made of several attributes together, as a damping ratio or a
muscle's range, keeps its value.
Source: MuJoCo documentation, XMLreference; Modeling, Contact parameters; APIreference, mjModel and mj_setConst.
"""

from __future__ import annotations

import difflib
import functools
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import mujoco
import numpy as np

ALL = "*"
CONTACT = ("condim", "friction", "solref", "solimp", "margin", "gap")
OPTION_WORDS = {
    "integrator": ("mjINT_", mujoco.mjtIntegrator),
    "cone": ("mjCONE_", mujoco.mjtCone),
    "solver": ("mjSOL_", mujoco.mjtSolver),
    "jacobian": ("mjJAC_", mujoco.mjtJacobian),
}
FLAGS = {"disableflags": ("mjDSBL_", mujoco.mjtDisableBit), "enableflags": ("mjENBL_", mujoco.mjtEnableBit)}
SWITCH = {"enable": True, "disable": False, True: True, False: False}

# The arrays of mjModel that hold each field; what a version lacks it does not have.
FIELDS = {
    "geom": {
        name: f"geom_{name}" for name in (*CONTACT, "priority", "solmix", "contype", "conaffinity", "adhesion", "surfacevel")
    },
    "pair": {name: f"pair_{name}" for name in (*CONTACT, "solreffriction", "adhesion")} | {"condim": "pair_dim"},
    "body": {name: f"body_{name}" for name in ("mass", "inertia", "gravcomp", "pos", "quat")},
    "joint": {name: f"jnt_{name}" for name in ("stiffness", "range", "margin", "actfrcrange")}
    | {name: f"dof_{name}" for name in ("damping", "frictionloss", "armature")}
    | {
        "solreflimit": "jnt_solref",
        "solimplimit": "jnt_solimp",
        "solreffriction": "dof_solref",
        "solimpfriction": "dof_solimp",
    },
    "actuator": {
        name: f"actuator_{name}"
        for name in (
            "gainprm",
            "biasprm",
            "dynprm",
            "gear",
            "ctrlrange",
            "forcerange",
            "actrange",
            "damping",
            "armature",
        )
    },
}
REFUSED = {
    **dict.fromkeys(
        ("geom.size", "geom.type", "geom.pos", "geom.quat"), "inertia and bounds of the compiled model would not follow"
    ),
    **dict.fromkeys(
        ("joint.ref", "joint.pos", "joint.axis"), "the positions of keyframes and of the start would mean another pose"
    ),
    "joint.type": "it is fixed when the model is compiled",
}
LIMITED = {name: f"actuator_{name.removesuffix('range')}limited" for name in ("ctrlrange", "forcerange", "actrange")}
LIMITED |= {"range": "jnt_limited", "actfrcrange": "jnt_actfrclimited"}
PARTIAL = ("friction", "solref", "solimp", "prm", "gear")  # a shorter list sets the first numbers of these, as in MJCF
POSITIVE, NOT_NEGATIVE = ("timestep", "impratio", "mass", "inertia"), ("friction", "armature", "frictionloss", "iterations")
CONDIMS = (1, 3, 4, 6)
OVERRIDE = int(mujoco.mjtEnableBit.mjENBL_OVERRIDE)  # with it, all contacts have these options in place of their geoms' fields
OVERRIDDEN = {field: f"o_{field}" for field in ("friction", "solref", "solimp", "margin")}


class Target(NamedTuple):
    """What an axis sets: rows (n,) of an array of the model, or none of an option."""

    kind: str
    field: str
    rows: np.ndarray


def apply(model: mujoco.MjModel, settings: Mapping[str, object]) -> None:
    """Set the axes of `settings` on `model`, with all that follows from them. Raises what `check` raises, before any is set."""
    override = SWITCH.get(settings.get("option.flag.override"))
    for axis, value in settings.items():
        check(model, axis, value, override)
    inertia = _own_meaninertia(model)
    for axis, value in settings.items():
        kind, name, field = split(axis)
        if kind == "option":
            _set_option(model, name, field, value)
        else:
            _set(model, _target(model, axis), value)
    if any(not axis.startswith("option.") for axis in settings):
        _follow(model, inertia)


def check(model: mujoco.MjModel, axis: str, value: object, override: bool | None = None) -> None:
    """Raises ValueError, in one line with what is allowed, for an axis that `model` lacks, a value it cannot have, or one that
    would not act. override: whether contacts have the parameters of option, where it is not as in the model.
    """
    kind, name, field = split(axis)
    override = bool(model.opt.enableflags & OVERRIDE) if override is None else override
    if kind == "option":
        _check_option(model, axis, name, field, value)
        if field in OVERRIDDEN.values() and not override:
            raise ValueError(f"{axis} acts on nothing; allowed: beside option.flag.override: enable")
        return
    target = _target(model, axis)
    _check_numbers(axis, field, value, getattr(model, FIELDS[kind][field])[target.rows[0]])
    if kind in ("geom", "pair") and field in OVERRIDDEN and override:
        raise ValueError(f"{axis} acts on nothing, as option.flag.override is up; allowed: option.{OVERRIDDEN[field]}")
    if reason := _without_effect(model, target):
        raise ValueError(f"{axis}: {reason}")


def split(axis: str) -> tuple[str, str, str]:
    """Kind, name and field of an axis; of an option the name is "flag" or empty. Raises ValueError for what is none."""
    kind, _, rest = axis.partition(".")
    name, _, field = rest.rpartition(".")
    if not field or kind not in (*FIELDS, "option") or (kind == "option") != (name in ("", "flag")):
        kinds = ", ".join(f"{kind}.NAME.FIELD" for kind in FIELDS)
        raise ValueError(f"{axis}: no attribute of a model; allowed: option.FIELD, option.flag.NAME, {kinds}")
    return kind, name, field


def nearest(name: str, known: Sequence[str]) -> str:
    """The known names, in one line; of many those most like `name`."""
    known = [entry for entry in known if entry]
    if len(known) <= 12:
        return ", ".join(known) or "none"
    alike = difflib.get_close_matches(name, known, 5) or known[:5]
    return f"{', '.join(alike)} and {len(known) - len(alike)} more"


def element(model: mujoco.MjModel, kind: str, name: str) -> int:
    """The number of a named body, geom, joint, actuator, pair, sensor or keyframe. Raises ValueError in one line."""
    kinds = {"pair": mujoco.mjtObj.mjOBJ_PAIR, "keyframe": mujoco.mjtObj.mjOBJ_KEY}
    kind_id = kinds.get(kind) or getattr(mujoco.mjtObj, f"mjOBJ_{kind.upper()}")
    number = mujoco.mj_name2id(model, kind_id, name)
    if number < 0:
        known = [mujoco.mj_id2name(model, kind_id, index) for index in range(count(model, kind))]
        raise ValueError(f"the model has no {kind} {name!r}; allowed: {nearest(name, known)}")
    return number


def single_actuator(model: mujoco.MjModel, name: str) -> int:
    """The number of an actuator and of its one control and its one force. Raises ValueError for a model where they differ."""
    number = element(model, "actuator", name)
    if not count(model, "actuator") == model.nu == getattr(model, "nout", model.nu):  # before they could, none was counted
        raise ValueError(f"some actuators of the model take or give several numbers; allowed beside {name!r}: those of one")
    return number


def count(model: mujoco.MjModel, kind: str) -> int:
    """How many elements of a kind the model has."""
    sizes = {"joint": "njnt", "actuator": "nactuator" if hasattr(model, "nactuator") else "nu", "keyframe": "nkey"}
    return getattr(model, sizes.get(kind, f"n{kind}"))


def _target(model: mujoco.MjModel, axis: str) -> Target:
    kind, name, field = split(axis)
    if f"{kind}.{field}" in REFUSED:
        raise ValueError(f"{axis}: a {kind}'s {field} is not set on a compiled model, {REFUSED[f'{kind}.{field}']}")
    known = [field for field, array in FIELDS[kind].items() if hasattr(model, array)]
    if field not in known:
        raise ValueError(
            f"{axis}: {field} is no attribute of a {kind} that can be set in MuJoCo {mujoco.__version__}; "
            f"allowed: {nearest(field, known)}"
        )
    first = 1 if kind == "body" else 0  # the world is no body of the scene
    try:
        chosen = np.arange(first, count(model, kind)) if name == ALL else np.array([element(model, kind, name)])
    except ValueError as error:
        raise ValueError(f"{axis}: {error}") from None
    rows = _rows(model, kind, field, chosen)
    if not rows.size:
        raise ValueError(f"{axis}: the model has no {kind} with this attribute")
    return Target(kind, field, rows)


def _rows(model: mujoco.MjModel, kind: str, field: str, chosen: np.ndarray) -> np.ndarray:
    """(n,) rows of the array of a field that belong to the chosen elements."""
    if FIELDS[kind][field].startswith("dof_"):
        return np.flatnonzero(np.isin(model.dof_jntid, chosen))
    if kind == "body" and field in ("mass", "inertia") and len(chosen) > 1:
        return chosen[model.body_mass[chosen] > 0]  # a frame without mass stays one
    if kind == "body" and field in ("pos", "quat") and len(chosen) > 1:
        return chosen[~_free(model, chosen)]
    if field == "range" and len(chosen) > 1:
        return chosen[model.jnt_limited[chosen] != 0]
    return chosen


def _free(model: mujoco.MjModel, bodies: np.ndarray) -> np.ndarray:
    """(n,) whether each body moves with a free joint."""
    freed = model.jnt_bodyid[model.jnt_type == mujoco.mjtJoint.mjJNT_FREE]
    return np.isin(bodies, freed)


def _without_effect(model: mujoco.MjModel, target: Target) -> str | None:
    """Why an attribute would be set and not act, or not as it says; None where it does."""
    kind, field, rows = target
    if kind == "geom" and field in (*CONTACT, "priority", "solmix", "adhesion"):
        paired = np.isin(rows, np.concatenate([model.pair_geom1, model.pair_geom2]))
        if paired.any():
            name = model.geom(int(rows[paired][0])).name
            return f"geom {name!r} stands in a contact pair of the scene, whose own {field} holds; allowed: pair.NAME.{field}"
    if kind == "body" and field in ("pos", "quat") and _free(model, rows).any():
        return "the body moves with a free joint; allowed: its place in the start"
    if kind == "body" and field in ("mass", "inertia") and not model.body_mass[rows].all():
        return f"a body without mass has no {field} to set; allowed: a body with mass"
    if kind == "body" and field == "gravcomp" and not (_counts_gravcomp() or model.ngravcomp):
        return f"MuJoCo {mujoco.__version__} takes no gravcomp on a compiled model that has none"
    return None


def _check_option(model: mujoco.MjModel, axis: str, name: str, field: str, value: object) -> None:
    if name == "flag":
        known = _flags()
        if field not in known:
            raise ValueError(f"{axis}: no flag of MuJoCo {mujoco.__version__}; allowed: {nearest(field, list(known))}")
        if not isinstance(value, bool | str) or value not in SWITCH:
            raise ValueError(f"{axis} is {value!r}; allowed: enable, disable")
        return
    known = [option for option in dir(model.opt) if not option.startswith("_") and option not in (*FLAGS, "apirate")]
    if field not in known:
        raise ValueError(f"{axis}: no option of MuJoCo {mujoco.__version__}; allowed: {nearest(field, known)}")
    if field in OPTION_WORDS:
        words = _words(*OPTION_WORDS[field])
        if str(value).lower() not in words:
            raise ValueError(f"{axis} is {value!r}; MuJoCo {mujoco.__version__} has {', '.join(sorted(words))}")
    else:
        _check_numbers(axis, field, value, getattr(model.opt, field))


def _words(prefix: str, members: type) -> dict[str, int]:
    return {name.removeprefix(prefix).lower(): int(value) for name, value in members.__members__.items() if prefix in name}


def _flags() -> dict[str, tuple[str, int]]:
    """By its name in MJCF, the option's field and the bit of each flag."""
    return {flag: (field, bit) for field, words in FLAGS.items() for flag, bit in _words(*words).items()}


def _check_numbers(axis: str, field: str, value: object, present: object) -> None:
    """`present`: the number or the row (n,) that is there."""
    row = np.atleast_1d(present)
    try:
        numbers = np.atleast_1d(np.asarray(value, dtype=float))
    except (TypeError, ValueError):
        numbers = np.zeros((0, 0))
    least = 1 if any(part in field for part in PARTIAL) else row.size
    if numbers.ndim != 1 or isinstance(value, bool) or not least <= numbers.size <= row.size:
        size = f"{row.size}" if least == row.size else f"{least} to {row.size}"
        raise ValueError(f"{axis} is {value!r}; allowed: {size} number{'s' * (row.size > 1)}")
    if not np.isfinite(numbers).all() or (row.dtype.kind in "iub" and (numbers % 1).any()):
        raise ValueError(f"{axis} is {value!r}; allowed: {'whole' if row.dtype.kind in 'iub' else 'finite'} numbers")
    for fields, wrong, allowed in _bounds(numbers):
        if any(part in field for part in fields) and wrong.any():
            raise ValueError(f"{axis} is {value!r}; allowed: {allowed}")


def _bounds(numbers: np.ndarray) -> tuple:
    """Parts of fields' names, where their numbers are wrong, and what is allowed."""
    return (
        (POSITIVE, numbers <= 0, "above 0"),
        (NOT_NEGATIVE, numbers < 0, "0 or more"),
        (("condim",), ~np.isin(numbers, CONDIMS), ", ".join(map(str, CONDIMS))),
        (("range",), numbers[:1] >= numbers[-1:], "the lower bound, then the higher one"),
    )


def _set_option(model: mujoco.MjModel, name: str, field: str, value: object) -> None:
    if name == "flag":
        flags, bit = _flags()[field]
        raised = SWITCH[value] == (flags == "enableflags")
        word = getattr(model.opt, flags)
        setattr(model.opt, flags, word | bit if raised else word & ~bit)
    elif field in OPTION_WORDS:
        setattr(model.opt, field, _words(*OPTION_WORDS[field])[str(value).lower()])
    elif isinstance(present := getattr(model.opt, field), np.ndarray):
        present[: len(np.atleast_1d(value))] = value
    else:
        setattr(model.opt, field, type(present)(value))


def _set(model: mujoco.MjModel, target: Target, value: object) -> None:
    kind, field, rows = target
    array = getattr(model, FIELDS[kind][field])
    if (kind, field) == ("body", "mass"):
        model.body_inertia[rows] *= (value / model.body_mass[rows])[:, None]
    if array.ndim == 1:
        array[rows] = np.atleast_1d(value)[0]
    else:
        array[rows, : len(np.atleast_1d(value))] = value
    if field in LIMITED:
        getattr(model, LIMITED[field])[rows] = True


def _follow(model: mujoco.MjModel, own_meaninertia: float | None) -> None:
    """Bring what the compiler derives from attributes up to date."""
    mujoco.mj_setConst(model, mujoco.MjData(model))
    model.stat.meaninertia = _meaninertia(model) if own_meaninertia is None else own_meaninertia
    reach_m = model.geom_margin + model.geom_gap if _gap_is_beyond_margin() else model.geom_margin
    for body in range(model.nbody):  # before MuJoCo did so itself, its first look for contacts went by the old ones
        geoms = slice(model.body_geomadr[body], model.body_geomadr[body] + model.body_geomnum[body])
        if model.body_geomnum[body]:
            model.body_margin[body] = reach_m[geoms].max()
            model.body_contype[body] = np.bitwise_or.reduce(model.geom_contype[geoms])
            model.body_conaffinity[body] = np.bitwise_or.reduce(model.geom_conaffinity[geoms])


def _own_meaninertia(model: mujoco.MjModel) -> float | None:
    """The mean inertia that the scene's <statistic> states, which scales the solver's tolerance; None where it is derived."""
    stated = model.stat.meaninertia
    return None if stated == _meaninertia(model) else stated


def _meaninertia(model: mujoco.MjModel) -> float:
    """As the compiler has it, which some versions' mj_setConst does not bring up to date."""
    return sum(model.dof_M0.tolist()) / model.nv if model.nv else 1.0


def _probe(question: Callable[[mujoco.MjModel], bool], xml: str) -> bool:
    return bool(question(mujoco.MjModel.from_xml_string(xml)))


@functools.cache
def _gap_is_beyond_margin() -> bool:
    """Whether this version looks for contacts up to margin + gap; earlier ones up to the margin, in which the gap lies."""
    scene = '<mujoco><worldbody><geom size="1" gap="1"/></worldbody></mujoco>'
    return _probe(lambda model: model.body_margin[0] == 1, scene)


@functools.cache
def _counts_gravcomp() -> bool:
    """Whether this version counts the bodies with gravcomp anew; one that does not skips it where there were none."""

    def counted(model: mujoco.MjModel) -> bool:
        model.body_gravcomp[1] = 1
        mujoco.mj_setConst(model, mujoco.MjData(model))
        return model.ngravcomp == 1

    return _probe(counted, '<mujoco><worldbody><body><freejoint/><geom size="1"/></body></worldbody></mujoco>')
