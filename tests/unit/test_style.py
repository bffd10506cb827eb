"""The colours of a legend can be told apart by the colour-blind, and letters can be read where a page is 800 pixels wide."""

import itertools
import re

import numpy as np
import pytest
from conftest import PROJECT
from matplotlib.colors import to_rgb

from records import style

# Machado, Oliveira and Fernandes (2009), table of the full deficiency; on linear RGB.
SEEN_BY = {
    "all cones": np.eye(3),
    "no red cones": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "no green cones": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "no blue cones": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
}
XYZ = np.array([[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]])
LEGENDS = {
    "failures": [look["color"] for look in style.FAILURES.values()],
    "outcomes": list(style.ENDINGS.values()),
    "verdicts": list(style.VERDICTS.values()),
    "agreement": list(style.AGREEMENT.values()),
    "steppers": list(style.STEPPERS.values()),
}


def lab(color: str, cones) -> np.ndarray:
    """A colour as an eye sees it, in CIE L*a*b* (D65)."""
    srgb = np.array(to_rgb(color))
    linear = np.where(srgb <= 0.04045, srgb / 12.92, ((srgb + 0.055) / 1.055) ** 2.4)
    x, y, z = np.cbrt(XYZ @ np.clip(np.asarray(cones) @ linear, 1e-6, 1) / (XYZ @ np.ones(3)))
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def test_white_and_red_have_their_textbook_lab_values():
    assert lab("#FFFFFF", np.eye(3)) == pytest.approx([100, 0, 0], abs=0.01)
    assert lab("#FF0000", np.eye(3)) == pytest.approx([53.24, 80.09, 67.20], abs=0.02)


@pytest.mark.parametrize("cones", SEEN_BY)
@pytest.mark.parametrize("legend", LEGENDS)
def test_the_colours_of_a_legend_differ_for_every_eye(legend, cones):
    """By five times what is just noticeable (2.3 units) at least."""
    colors = [lab(color, SEEN_BY[cones]) for color in LEGENDS[legend]]
    assert min(np.linalg.norm(one - other) for one, other in itertools.combinations(colors, 2)) > 5 * 2.3


@pytest.mark.parametrize("figure", sorted((PROJECT / "figures").glob("[!.]*.svg")), ids=lambda path: path.stem)
def test_the_letters_of_a_figure_can_be_read(figure):
    """No letter is smaller than 9 pixels."""
    svg = figure.read_text(encoding="utf-8")
    width_pt = float(re.search(r'<svg[^>]* width="([\d.]+)pt"', svg)[1])
    assert width_pt / 72 == pytest.approx(style.WIDTH_IN, rel=0.03)
    sizes_pt = [100 * float(scale) for scale in re.findall(r'<g [^>]*transform="[^"]*scale\(([\d.]+) -', svg)]
    assert sizes_pt
    assert min(sizes_pt) * 800 / width_pt >= 9
