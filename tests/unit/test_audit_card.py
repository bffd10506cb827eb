"""The card of an audit: what its squares say, and that no text lies over another, however much there is of it."""

import audit_card
import matplotlib.pyplot as plt
import numpy as np
import pytest
from audit_records import bowl, ended, record, write

from records import audit_comparison, audit_headline, audit_tables, files, style, tables, verdicts

SUNK = {"height_m": 0.02, "digest": "b"}


@pytest.fixture(autouse=True)
def no_figure_stays_open():
    style.theme()
    yield
    plt.close("all")


def tables_of(folder, audit: dict, records: dict[str, dict]):
    """The table of runs and the rows of verdicts, as the card's script reads them."""
    found = audit_tables.read(write(folder, audit, {"reference": record()} | records), audit)
    files.write_csv(folder / "table.csv", audit_tables.rows(audit, found))
    files.write_csv(folder / "verdicts.csv", audit_comparison.rows(audit, found))
    return tables.read(str(folder / "table.csv")), audit_headline.rows(folder / "verdicts.csv")


def squares_of(folder, audit: dict, records: dict[str, dict]) -> dict[tuple[str, str], dict[str, audit_card.Square]]:
    table, found = tables_of(folder, audit, records)
    return audit_card.squares(found, table, audit.get("by", []))


def test_a_square_holds_the_value_and_the_verdict(tmp_path):
    records = {"engine=3.4.0": record(**SUNK, at_iterations=3), "engine=4.0.0": ended("cannot run", "no wheel")}
    card = squares_of(tmp_path, bowl(), records)
    assert list(card) == [("height_m", ""), ("through", ""), ("seated", "")]
    height = card["height_m", ""]
    assert (height["reference"].text, height["reference"].verdict) == (0.04, None)
    assert height["engine=3.4.0"] == audit_card.Square(0.02, "moved", True)
    assert height["engine=4.0.0"] == audit_card.Square("cannot run", "cannot run")
    assert (card["seated", ""]["engine=3.4.0"].text, card["through", ""]["engine=3.4.0"].text) == ("False", "kept")


def test_over_a_grid_and_moved_starts_a_square_counts_and_means(tmp_path):
    audit = bowl(grid={"seed": [0, 1, 2, 3]}, vary={"engine": ["4.0.0"]})
    records = {
        "reference": record(again=({},)),
        "engine=4.0.0 seed=3": record(again=({"height_m": 0.02},), **SUNK, through="missed"),
    }
    card = squares_of(tmp_path, audit, records)
    assert [square.text for square in card["seated", ""].values()] == ["8/8", "6/8"]
    assert [square.text for square in card["through", ""].values()] == ["kept 4/4", "kept 3/4"]
    assert card["height_m", ""]["engine=4.0.0"].text == pytest.approx((3 * 0.04 + 0.02) / 4)


def test_axes_of_the_grid_are_lines_of_their_own(tmp_path):
    audit = bowl(grid={"task": ["reach", "push"], "seed": [0, 1]}, by=["task"], vary={"engine": ["4.0.0"]})
    card = squares_of(tmp_path, audit, {"engine=4.0.0 task=push seed=1": record(**SUNK)})
    assert [card["seated", f"task={task}"]["engine=4.0.0"].text for task in ("reach", "push")] == ["2/2", "1/2"]


def test_every_verdict_has_a_sign_and_a_colour_of_its_own():
    known = verdicts.VERDICTS[: verdicts.rank(verdicts.NOT_THERE)]
    assert (
        len({audit_card.SIGNS[verdict] for verdict in known})
        == len({style.AGREEMENT[verdict] for verdict in known})
        == len(known)
    )


@pytest.mark.parametrize("value", [0.04, -1.23456789e-05, 123456.789, 1e300, "kept", "a word far too long for any square", ""])
def test_what_stands_in_a_square_fits_it_and_is_the_number(value):
    room = audit_card.LEAST_SQUARE - audit_card.MARK - 0.08
    text = audit_card.fitted(value, room)
    assert audit_card.width(text) <= room
    if isinstance(value, float):
        assert float(text) == pytest.approx(value, rel=0.1)
    elif len(value) < 8:
        assert text == value


def a_card(folder, lines: int, engines: int) -> plt.Figure:
    """A card of so many lines and versions, with names and values as long as they come."""
    names = [f"the_{place}th_finger_of_the_left_hand_force_N" for place in range(lines - 1)]
    audit = bowl(
        measures={name: {"sensor": "x"} for name in names},
        outcomes={},
        required=names[:1],
        vary={
            "engine": [f"3.{minor}.0" for minor in range(4, 4 + engines)],
            "option.timestep": [0.0005],
            "geom.the_left_finger_of_the_hand.friction": [[0.5, 0.005, 0.0001]],
        },
    )
    moved = record(
        **{name: -1.23456789e-05 * (place + 2) for place, name in enumerate(names)}, through="wrong side", at_iterations=1
    )
    records = {"reference": record(**dict.fromkeys(names, -1.23456789e-05)), "engine=3.4.0": ended("cannot run", "no wheel")}
    table, found = tables_of(folder, audit, records | {"engine=3.5.0": moved, "option.timestep=0.0005": moved})
    return audit_card.card_of(audit, table, found)


@pytest.mark.parametrize(("lines", "engines"), [(2, 2), (12, 15), (50, 3)])
def test_no_text_lies_over_another_or_leaves_the_figure_and_all_can_be_read(tmp_path, lines, engines):
    figure = a_card(tmp_path, lines, engines)
    [axes] = figure.axes
    renderer = figure.canvas.get_renderer()
    texts = [text for text in axes.texts if text.get_text().strip()]
    said = {text.get_text() for text in texts}
    assert {"reference", "through", "engine\n3.5.0", "wrong side", "≠"} <= said  # what has room is whole
    x0, y0, x1, y1 = np.array([text.get_window_extent(renderer).extents for text in texts]).T
    over = [np.minimum.outer(high, high) - np.maximum.outer(low, low) > 0.5 for low, high in ((x0, x1), (y0, y1))]  # pixels
    pairs = np.argwhere(np.triu(over[0] & over[1], 1))
    assert [(texts[one].get_text(), texts[other].get_text()) for one, other in pairs] == []
    width, height = figure.get_size_inches() * figure.dpi
    assert (min(x0), min(y0)) >= (0, 0)
    assert (max(x1), max(y1)) <= (width, height)
    assert width == style.WIDTH_IN * figure.dpi
    assert min(text.get_fontsize() for text in texts) * 100 / 72 >= 9  # pixels where a page is 800 wide
