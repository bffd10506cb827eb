"""A scene of the user's own, read before any job starts: the names in it, and a digest of all its files."""

import hashlib
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from xml.etree.ElementTree import Element

TAGS = {"freejoint": "joint", "key": "keyframe"}
KINDS = ("body", "geom", "joint", "actuator", "sensor", "pair", "keyframe")
GROUPS = {"actuator", "sensor"}  # whose elements are of that kind, whatever their tags
MAKERS = {"attach", "replicate", "composite", "flexcomp"}  # these make parts whose names stand nowhere in the file


def names(path: str) -> dict[str, list[str]] | None:
    """The names in a scene by kind: body, geom, joint, actuator, sensor, pair and keyframe; None where not all stand in it.

    These are not known of a compiled model, nor where the engine makes parts. Raises OSError for a file that cannot be read,
    and ParseError for one that is not XML.
    """
    roots = [] if is_compiled(path) else documents(Path(path))
    if not roots or any(element.tag in MAKERS for root in roots for element in root.iter()):
        return None
    found: dict[str, list[str]] = {kind: [] for kind in KINDS}
    for root in roots:
        for group in root.iter():
            for element in group:
                kind = group.tag if group.tag in GROUPS else TAGS.get(element.tag, element.tag)
                if kind in found and element.get("name"):
                    found[kind].append(element.get("name"))
    return found | {"body": ["world", *found["body"]]}


def is_compiled(path: str) -> bool:
    """Whether a scene is a model that MuJoCo has compiled."""
    return path.endswith(".mjb")


def digest(path: str) -> str:
    """SHA-256, in hex, over a scene's file and the files it names, with their names; raises what `names` raises."""
    main, sha = Path(path), hashlib.sha256()
    for name in sorted({main.name, *(() if is_compiled(path) else named_files(main))}):
        content = (main.parent / name).read_bytes()
        sha.update(f"{name}\n{len(content)}\n".encode() + content)
    return sha.hexdigest()


def documents(main: Path) -> list[Element]:
    """The roots of an MJCF file and of all that it includes; MuJoCo looks for these beside the main file."""
    found, waiting = {}, [main]
    while waiting:
        path = waiting.pop()
        if path not in found:
            found[path] = ElementTree.parse(path).getroot()
            waiting += [main.parent / element.get("file", "") for element in found[path].iter("include")]
    return list(found.values())


def named_files(main: Path) -> set[str]:
    """Paths, from its folder, of the meshes, textures and other files that a scene names.

    Each is looked for wherever a folder of the compiler's could put it; what is not there the engine will report.
    """
    roots = documents(main)
    folders = {""} | {
        compiler.get(kind, "")
        for root in roots
        for compiler in root.iter("compiler")
        for kind in ("meshdir", "texturedir", "assetdir")
    }
    values = {value for root in roots for element in root.iter() for key, value in element.items() if key.startswith("file")}
    candidates = {(Path(folder) / value).as_posix() for folder in folders for value in values}
    return {name for name in candidates if (main.parent / name).is_file()}
