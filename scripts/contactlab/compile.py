"""A scene compiled by MuJoCo, without the work for what it then leaves out."""

from pathlib import PurePosixPath

import mujoco


def compile_scene(path: str) -> mujoco.MjModel:
    """Compile an MJCF file. Visual meshes that it discards are not even read, which is what takes MuJoCo most of the time.

    The model has every bit of `MjModel.from_xml_path`, which reads and compiles all meshes before it discards any
    (MuJoCo documentation, XMLreference, compiler discardvisual). An engine before 3.3.4 cannot delete and reads all of them.

    Raises ValueError, in MuJoCo's words, for a file that cannot be compiled.
    """
    spec = mujoco.MjSpec.from_file(path)
    if spec.compiler.discardvisual and hasattr(spec, "delete"):
        _delete_visual(spec)
    return spec.compile()


def _delete_visual(spec: mujoco.MjSpec) -> None:
    """Delete visual meshes, and the geoms that show them, where nothing refers to those and no inertia comes from them."""
    if spec.compiler.inertiafromgeom == mujoco.mjtInertiaFromGeom.mjINERTIAFROMGEOM_TRUE:
        return
    for geom in list(spec.geoms):
        if _is_shown_only(geom) and not geom.name and geom.parent.explicitinertial:
            spec.delete(geom)
    used = {geom.meshname for geom in spec.geoms}
    for mesh in list(spec.meshes):
        if (mesh.name or PurePosixPath(mesh.file).stem) not in used:
            spec.delete(mesh)


def _is_shown_only(geom: mujoco.MjsGeom) -> bool:
    """Whether a geom is a mesh that neither contacts nor a fluid feel."""
    felt = geom.contype or geom.conaffinity or geom.fluid_ellipsoid or geom.plugin.active
    return geom.type == mujoco.mjtGeom.mjGEOM_MESH and not felt
