"""Contact experiments on MuJoCo: the physics behind the workflow, importable without it.

Modules import numpy and mujoco only, so that a run starts fast. Lengths are in metres, times in seconds, forces in newtons,
angles in radians, unless a name ends in another unit.
"""
