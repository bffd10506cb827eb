"""A scene compiled by MuJoCo, without the work for what it then leaves out."""

from pathlib import PurePosixPath

import mujoco


def compile_scene(path: str) -> mujoco.MjModel:
    """Compile an MJCF file. Visual meshes that it discards are not even read, which is what takes MuJoCo most of the time.

    The model has every bit of `MjModel.from_xml_path`, which reads and compiles all meshes before it discards any
    (MuJoCo documentation, XMLreference, compiler discardvisual). An engine that cannot delete (before 3.3.4) does just that.

    Raises ValueError, in MuJoCo's words, for a file that cannot be compiled.
    """
    spec = mujoco.MjSpec.from_file(path)
    if spec.compiler.discardvisual and hasattr(spec, "delete"):
        _delete_visual(spec)
    return spec.compile()


def _delete_visual(spec: mujoco.MjSpec) -> None:
    """Delete visual geoms, and the meshes that only they use, where nothing refers to them and no inertia comes from them."""
    if spec.compiler.inertiafromgeom == mujoco.mjtInertiaFromGeom.mjINERTIAFROMGEOM_TRUE:
        return
    for geom in list(spec.geoms):
        if not (geom.name or geom.contype or geom.conaffinity) and geom.parent.explicitinertial:
            spec.delete(geom)
    used = {geom.meshname for geom in spec.geoms}
    for mesh in list(spec.meshes):
        if (mesh.name or PurePosixPath(mesh.file).stem) not in used:
            spec.delete(mesh)
