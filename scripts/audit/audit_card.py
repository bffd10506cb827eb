"""Draw the card of an audit: measures and outcomes down, variations across, the value in each square, coloured by verdict."""

import functools
import textwrap
from dataclasses import dataclass

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties, findfont
from matplotlib.ft2font import FT2Font
from matplotlib.patches import Rectangle

from records import audit_headline, audit_tables, script, settings, style, tables, verdicts
from records.audits import REFERENCE
from records.printed import NONE

# All lengths are in inches, all sizes of letters in points.
LETTERS, LINE, ROW, GAP = 7.5, 0.15, 0.25, 0.12
LABELS, LEAST_SQUARE, LARGEST_SQUARE, HEADS = 2.0, 0.7, 1.0, 1.3
MARK = 0.13  # the left end of a square, for the sign of its verdict
SENTENCE = 105  # characters of a line that is as wide as the figure
FINE = 1200  # dots an inch at which letters are measured, as they are drawn: with no rounding
DIGITS = 6  # of a number at most, fewer where it does not fit
SIGNS = dict(zip(verdicts.VERDICTS, "=≈~Δ≠…!–??", strict=True))  # so that no verdict is told by its colour alone


@dataclass(frozen=True)
class Square:
    """One square: what was measured there, and the verdict on it, None for the reference's."""

    text: str | float
    verdict: str | None = None
    truncated: bool = False


def ink(color: str) -> str:
    """Black or white, whichever has more contrast on a colour.

    Source: WCAG 2.1, relative luminance and contrast ratio, which are the same for both at a luminance of 0.179.
    """
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in to_rgb(color)]
    return style.BLACK if 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2] > 0.179 else style.WHITE


@functools.cache
def letters(weight: str) -> FT2Font:
    """The letters of the card, of its own: those that figures are drawn with change their size."""
    font = FT2Font(findfont(FontProperties(family="DejaVu Sans", weight=weight)))
    font.set_size(LETTERS, FINE)
    return font


def width(text: str, weight: str = "normal") -> float:
    """How wide a text is."""
    letters(weight).set_text(text)
    return letters(weight).get_width_height()[0] / 64 / FINE  # in 1/64 of a dot


def shortened(text: str, room: float) -> str:
    """A text that fits, its middle left out where it is too long: beginnings and ends tell names apart."""
    kept, short = len(text), text
    while width(short) > room and kept > 1:
        kept -= 1
        short = f"{text[: kept - kept // 2]}…{text[len(text) - kept // 2 :]}"
    return short


def fitted(value: str | float, room: float) -> str:
    """A value as it fits: a number with fewer digits, a word with its middle left out."""
    if isinstance(value, float):
        texts = [f"{value:.{digits}g}" for digits in range(DIGITS, 0, -1)]
        return next((text for text in texts if width(text) <= room), texts[-1])
    return shortened(value, room)


# What stands in the squares


def shown(values: pd.Series) -> str | float:
    """The values of one measure over a grid as one: the mean of numbers, else the most common and how often it is."""
    values = values.dropna()
    if not len(values):
        return NONE
    if pd.api.types.is_numeric_dtype(values) and not pd.api.types.is_bool_dtype(values):
        return float(values.mean())
    word, count = next(iter(values.astype(str).value_counts().items()))
    return word if len(values) == 1 else f"{word} {count}/{len(values)}"


def squares(found: list[dict], table: pd.DataFrame, by: list[str]) -> dict[tuple[str, str], dict[str, Square]]:
    """The squares of each measure and case by variation, the reference first."""
    cases = (
        table[by].apply(lambda row: " ".join(settings.to_words(row.to_dict())), axis=1) if by else pd.Series("", table.index)
    )
    values = dict([*table.groupby([table["variation"], cases], sort=False)])
    card: dict[tuple[str, str], dict[str, Square]] = {}
    for row in found:
        line = card.setdefault((row["measure"], row["case"]), {})
        if REFERENCE not in line:
            line[REFERENCE] = Square(_told(row, "there", REFERENCE, values))
        line[row["variation"]] = Square(
            _told(row, "here", row["variation"], values), row["verdict"], row["truncated"] == "True"
        )
    return card


def _told(row: dict, side: str, variation: str, values: dict) -> str | float:
    if row["pairs"] and int(row["pairs"]) > 1:
        return f"{row[f'{side}_successes']}/{row['pairs']}"
    if side == "here" and row["verdict"] in verdicts.ENDED:
        return row["verdict"]
    there = values[variation, row["case"]]
    return shown(there[row["measure"]]) if row["measure"] in there else NONE


# Where they stand


def blocks(variations: list[str], room: float) -> list[list[str]]:
    """The variations in as many lines of squares as they need, each with the reference before it, of about one length."""
    most = int(room / LEAST_SQUARE) - 1
    lines = -(-len(variations) // most) or 1
    each = -(-len(variations) // lines)
    return [variations[start : start + each] for start in range(0, len(variations), each)] or [[]]


def draw_square(axes: Axes, left: float, bottom: float, side: float, square: Square) -> None:
    """One square: its colour, the sign of its verdict, and the value."""
    color = style.AGREEMENT[square.verdict] if square.verdict else style.WHITE
    edge = style.PALE if color == style.WHITE else style.WHITE
    axes.add_patch(Rectangle((left, bottom), side, ROW, facecolor=color, edgecolor=edge, lw=0.8))
    told = {"color": ink(color), "fontsize": LETTERS, "va": "center_baseline"}
    if square.verdict:
        axes.text(left + 0.04, bottom + ROW / 2, SIGNS[square.verdict], **told)
    free = MARK if square.verdict else 0.0
    axes.text(left + (side + free) / 2, bottom + ROW / 2, fitted(square.text, side - MARK - 0.08), ha="center", **told)
    if square.truncated:
        axes.scatter(left + side - 0.05, bottom + ROW - 0.05, **style.TRUNCATED | {"s": 6, "color": ink(color)})


def label(measure: str, case: str) -> str:
    """What a line of squares is called: the measure, and where in the grid; of one axis its value says that."""
    return f"{measure} {case.partition('=')[2] if case.count('=') == 1 else case}".strip()


@dataclass(frozen=True)
class Grid:
    """How the lines and columns of squares stand: the width of the names before them, the width of a square, bold names."""

    labels: float
    side: float
    required: set[str]

    def left(self, column: int) -> float:
        """The left end of a column of squares."""
        return self.labels + column * self.side

    def draw(self, axes: Axes, top: float, card: dict, variations: list[str]) -> float:
        """One line of squares for each measure, below the names of their variations; what lies below the last one."""
        heads = [_head(name) for name in (REFERENCE, *variations)]
        bottom = top - max(width(line) for head in heads for line in head) - GAP
        for column, head in enumerate(heads):
            place = (self.left(column) + self.side / 2, bottom + 0.05)
            axes.text(*place, "\n".join(head), rotation=90, ha="center", va="bottom", fontsize=LETTERS, linespacing=1.1)
        for (measure, case), line in card.items():
            bottom -= ROW
            self._label(axes, bottom, label(measure, case), measure in self.required)
            for column, name in enumerate((REFERENCE, *variations)):
                if name in line:
                    draw_square(axes, self.left(column), bottom, self.side, line[name])
        return bottom - GAP

    def _label(self, axes: Axes, bottom: float, name: str, bold: bool) -> None:
        text = shortened(name, self.labels - (0.3 if bold else 0.15))
        look = {"ha": "right", "va": "center_baseline", "fontsize": LETTERS, "weight": "bold" if bold else "normal"}
        axes.text(self.labels - 0.08, bottom + ROW / 2, text, **look)


def _head(variation: str) -> list[str]:
    axis, _, value = variation.partition("=")
    return [shortened(part, HEADS) for part in (axis, value) if part]


def draw_legend(axes: Axes, top: float, card: dict, required: bool) -> float:
    """What the colours and signs mean and how many squares have them; the height that is left below it."""
    found = [square for line in card.values() for square in line.values()]
    counts = {verdict: sum(square.verdict == verdict for square in found) for verdict in verdicts.VERDICTS}
    entries = [(Square("", verdict), f"{verdict} ({count})") for verdict, count in counts.items() if count]
    entries += [(Square("", None, True), style.TRUNCATED_LABEL)] * any(square.truncated for square in found)
    entries += [(None, "bold: required to stand")] * required
    left, bottom = 0.1, top - ROW
    for square, text in entries:
        if left + 0.25 + width(text) > style.WIDTH_IN:
            left, bottom = 0.1, bottom - ROW - GAP / 2
        if square:
            draw_square(axes, left, bottom, MARK + 0.06, square)
            left += 0.25
        axes.text(left, bottom + ROW / 2, text, va="center_baseline", fontsize=LETTERS)
        left += width(text) + 0.3
    return bottom


# The whole


def draw_head(axes: Axes, name: str, sentence: str, small: str) -> float:
    """The name, the sentence and a line in small letters from the top, 0, down; what lies below them."""
    top = 0.0
    for text, size, characters in ((name, 11, SENTENCE), (sentence, 9, SENTENCE), (small, LETTERS, SENTENCE + 15)):
        look = {"fontsize": size, "weight": "bold" if text is name else "normal", "va": "baseline"}
        for line in textwrap.wrap(text, characters, break_on_hyphens=False):
            top -= LINE * size / LETTERS
            axes.text(0.1, top, line, color=style.DARK if text is small else style.BLACK, **look)
        top -= 0.03
    return top - GAP


def subtitle(audit: dict, table: pd.DataFrame) -> str:
    """What the reference is, and what stands behind a square."""
    reference = table[table["variation"] == REFERENCE]
    told = "reference: " + ", ".join(f"{axis} {tables.readable(value)}" for axis, value in audit["reference"].items())
    over = {axis: len(values) for axis, values in audit["grid"].items() if axis not in audit.get("by", [])}
    if len(reference) and over:
        told += "; over " + " x ".join(f"{count} {axis}" for axis, count in over.items()) + ": mean, or how many are true"
    again = audit.get("repeats", {}).get("perturbations", 0)
    return told + (f"; each run also from {again} starts moved by {audit['repeats']['size_m']:g} m" if again else "")


def card_of(audit: dict, table: pd.DataFrame, found: list[dict]) -> Figure:
    """The figure: the sentence, the squares, what they mean."""
    card, required = squares(found, table, audit.get("by", [])), set(audit.get("required", []))
    labels = min(LABELS, max((width(label(*key), "bold") for key in card), default=0.0) + 0.2)
    parts = blocks(list(dict.fromkeys(row["variation"] for row in found)), style.WIDTH_IN - labels)
    side = min(LARGEST_SQUARE, (style.WIDTH_IN - labels) / (1 + max(map(len, parts))))
    figure = plt.figure(figsize=(style.WIDTH_IN, style.WIDTH_IN))
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set_axis_off()
    top = draw_head(axes, audit["name"], audit_headline.of_rows(found).replace("`", ""), subtitle(audit, table))
    for variations in parts:
        top = Grid(labels, side, required).draw(axes, top, card, variations)
    bottom = draw_legend(axes, top, card, bool(required)) - GAP
    figure.set_size_inches(style.WIDTH_IN, -bottom)
    axes.set(xlim=(0, style.WIDTH_IN), ylim=(bottom, 0))
    axes.add_patch(Rectangle((0, bottom), style.WIDTH_IN, -bottom, facecolor="none", edgecolor="none"))  # a card is cut to it
    return figure


def main() -> None:
    parser = style.parser(__doc__)
    audit_tables.add_audit(parser)
    parser.add_argument("--table", required=True, help="results/NAME.csv")
    parser.add_argument("--verdicts", required=True, help="results/NAME_verdicts.csv")
    arguments = parser.parse_args()
    style.theme()
    figure = card_of(arguments.audit, tables.read(arguments.table), audit_headline.rows(arguments.verdicts))
    style.save(figure, arguments)


if __name__ == "__main__":
    script.run(main)
