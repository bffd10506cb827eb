"""Pictures where there is no display: rendered in a process of its own, by the first backend of OpenGL that works there."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

BACKENDS = ("egl", "osmesa", "")  # values of MUJOCO_GL; the last leaves the choice to the engine, which macOS needs
LIMIT_S = 120


def rendered(module: str, model: Path, poses: Path) -> np.ndarray | None:
    """Pictures (n, height, width, 3) that `draw` of a module of `contactlab` renders of the poses in a file.

    None where no backend works.
    Where the environment sets MUJOCO_GL, as to "disabled", only that is tried. Each trial is printed.
    """
    asked = os.environ.get("MUJOCO_GL")
    for backend in BACKENDS if asked is None else (asked,):
        with tempfile.TemporaryDirectory() as scratch:
            pictures = Path(scratch, "pictures.npy")
            problem = _problem(backend, module, model, poses, pictures)
            print(f"MUJOCO_GL={backend}: {problem or 'rendered'}")
            if not problem:
                return np.load(pictures)
    return None


def _problem(backend: str, module: str, model: Path, poses: Path, pictures: Path) -> str | None:
    """Have the poses rendered with a backend, and say in one line why that failed, or None.

    MuJoCo takes its backend from MUJOCO_GL when it is imported, and a broken driver can crash or hang.
    """
    call = f"import sys; from contactlab import {module}; {module}.draw(*sys.argv[1:])"
    command = [sys.executable, "-c", call, model.resolve(), poses.resolve(), pictures]
    environment = os.environ | {"MUJOCO_GL": backend, "PYTHONPATH": os.pathsep.join(sys.path)}
    options = {"capture_output": True, "text": True, "errors": "replace", "check": False, "timeout": LIMIT_S}
    try:
        done = subprocess.run(command, env=environment, cwd=pictures.parent, **options)
    except (OSError, subprocess.TimeoutExpired) as failure:
        return str(failure)
    last_words = " ".join(done.stderr.strip().splitlines()[-1:])
    return f"exit status {done.returncode}, {last_words}" if done.returncode else None
