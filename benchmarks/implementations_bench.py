"""Time a step of a world in MJX, MuJoCo Warp and C, over the size of the batch, on whatever device each finds.

    make bench-implementations

Each program runs in its own engine, in which this file is started again with its name. A cube lies on the table of a published
drop with its four contacts. A batch is stepped several times for as many steps, and the fastest counts; compiling does not.
"""

import argparse
import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

SIZES = [1, 4, 16, 64, 256, 1024, 4096]
STEPS, TIMES = 20, 3
COLUMNS = ["program", "engine", "dtype", "backend", "device", "batch", "step_us", "step_and_world_us", "steps_per_s"]


def seconds(run: Callable[[], object]) -> float:
    """The fastest of TIMES runs, after one that compiles."""
    run()
    taken = []
    for _ in range(TIMES):
        started = time.perf_counter()
        run()
        taken.append(time.perf_counter() - started)
    return min(taken)


def row(program: str, version: str, made: dict, size: int, taken_s: float) -> dict:
    """What the table has of one size: microseconds of a step, also by world, and world steps in a second."""
    step_us = taken_s / STEPS * 1e6
    rates = {"batch": size, "step_us": step_us, "step_and_world_us": step_us / size, "steps_per_s": size * STEPS / taken_s}
    return {"program": program, "engine": version} | made | rates


def in_c(model, sizes: list[int]) -> list[dict]:
    """C on one core, one world after the other."""
    import mujoco

    data = mujoco.MjData(model)
    made = {"dtype": "float64", "backend": "cpu", "device": processor()}
    return [
        row("C", mujoco.__version__, made, size, seconds(lambda size=size: mujoco.mj_step(model, data, size * STEPS)))
        for size in sizes
    ]


def in_mjx(model, sizes: list[int]) -> list[dict]:
    """MJX in float32, JAX's default."""
    import jax
    import mujoco
    from mujoco import mjx

    put, device = mjx.put_model(model, impl="jax"), jax.devices()[0]
    made = {"dtype": "float32", "backend": device.platform, "device": name_of(device.device_kind)}

    def steps(data):
        return jax.lax.scan(lambda data, _: (mjx.step(put, data), None), data, length=STEPS)[0]

    rows = []
    for size in sizes:
        start = jax.vmap(lambda _: mjx.make_data(model))(jax.numpy.arange(size))
        batch = jax.jit(jax.vmap(steps)).lower(start).compile()
        taken_s = seconds(lambda batch=batch, start=start: jax.block_until_ready(batch(start)))
        rows.append(row("MJX", mujoco.__version__, made, size, taken_s))
    return rows


def in_warp(model, sizes: list[int]) -> list[dict]:
    """MuJoCo Warp; on CUDA the steps are one captured graph, as its own test of speed runs them."""
    import mujoco_warp
    import warp

    warp.init()
    device = warp.get_device()
    backend = "cuda" if device.is_cuda else "cpu"
    made = {"dtype": "float32", "backend": backend, "device": name_of(device.name)}
    put, rows = mujoco_warp.put_model(model), []

    def steps(data) -> None:
        for _ in range(STEPS):
            mujoco_warp.step(put, data)

    for size in sizes:
        data = mujoco_warp.make_data(model, nworld=size)
        run = steps
        if device.is_cuda:
            steps(data)  # all kernels are loaded before they are captured
            with warp.ScopedCapture() as capture:
                steps(data)
            run = lambda data, graph=capture.graph: warp.capture_launch(graph)  # noqa: E731

        def once(run=run, data=data) -> None:
            run(data)
            warp.synchronize()

        rows.append(row("MuJoCo Warp", mujoco_warp.__version__, made, size, seconds(once)))
    return rows


PROGRAMS = {"c": in_c, "mjx": in_mjx, "warp": in_warp}


def name_of(device: str) -> str:
    """A device by its name; a processor that a program calls no more than that, by its own."""
    return processor() if device.lower() == "cpu" else device


def processor() -> str:
    """This machine's processor."""
    lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines() if Path("/proc/cpuinfo").exists() else []
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), platform.processor())


def resting_model():
    """The published scene with the cube at rest on the table."""
    import mujoco

    from contactlab.drop_scene import drop_mjcf
    from records import settings

    [words] = [line.split() for line in sys.stdin.read().splitlines() if line]
    model = mujoco.MjModel.from_xml_string(drop_mjcf(**settings.from_words(words)))
    model.opt.timestep = 0.002
    return model


def started(program: str, python: str, scene: list[str], sizes: list[int]) -> list[dict]:
    """The rows of a program, measured in its own interpreter."""
    cache = str(Path(python).parents[1] / "cache")
    own = {"PYTHONPATH": "scripts", "JAX_COMPILATION_CACHE_DIR": cache, "WARP_CACHE_PATH": cache, "OMP_NUM_THREADS": "1"}
    command = [python, __file__, "--program", program, "--sizes", *map(str, sizes)]
    done = subprocess.run(command, input=" ".join(scene), capture_output=True, text=True, check=False, env=os.environ | own)
    if done.returncode:
        sys.exit(f"{program}: {done.stderr.strip().splitlines()[-1]}")
    return json.loads(done.stdout.splitlines()[-1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", choices=PROGRAMS, help="in its own interpreter: print its rows")
    parser.add_argument("--sizes", nargs="+", type=int, default=SIZES, help="worlds in a batch")
    parser.add_argument("--engines", nargs="+", default=[], help="engines to run, such as 3.17.0 mjx-3.17.0 warp-3.17.0")
    parser.add_argument("--out", help="the table to write, CSV")
    arguments = parser.parse_args()
    if arguments.program:
        print(json.dumps(PROGRAMS[arguments.program](resting_model(), arguments.sizes)))
        return
    from lib import schema
    from records import engines, files, settings

    project = Path(__file__).parents[1]
    known = schema.load(project)
    scene = {axis: part["default"] for axis, part in schema.axes(known, "drop").items() if part["stage"] == "model"}
    words, rows = settings.to_words(scene | {"drop_height_m": 0}), []
    for engine in arguments.engines:
        rows += started(engines.implementation(engine) or "c", f".engines/{engine}/bin/python", words, arguments.sizes)
        print(f"{engine}: {rows[-1]['step_and_world_us']:.3g} us a step and world at {rows[-1]['batch']}")
    files.write_csv(arguments.out, [{column: one[column] for column in COLUMNS} for one in rows])


if __name__ == "__main__":
    main()
