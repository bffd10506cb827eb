"""MJCF written without loss.

`MjSpec.to_xml` keeps six significant digits; here every number is written with `repr`, so that the compiled model has the
bits that were asked for.
"""

import xml.etree.ElementTree as ElementTree
from xml.etree.ElementTree import Element


def attribute(value) -> str:
    """MJCF text of a string, a boolean, a number or a flat sequence of numbers."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return repr(float(value))  # numpy's own repr would say "np.float64(...)"
    return " ".join(attribute(item) for item in value)


def element(tag: str, *children: Element, **attributes) -> Element:
    """An MJCF element. A trailing underscore keeps Python's keywords apart: `class_` is written as `class`."""
    node = Element(tag, {name.rstrip("_"): attribute(value) for name, value in attributes.items()})
    node.extend(children)
    return node


def document(root: Element) -> str:
    """The MJCF document below `root`, indented, one line end at its end."""
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode") + "\n"
