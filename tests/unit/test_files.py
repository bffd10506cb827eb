"""A file is there whole or not at all, and a record that was changed behind our back is refused."""

import errno
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from records import files

RECORD = {"settings": {"dt_ms": 0.1}, "result": {"height_m": 0.1 + 0.2, "side": "above", "flip": None}}


@pytest.fixture
def cell(tmp_path):
    path = tmp_path / "results/cell.json"
    files.write_json(path, RECORD)
    return path


def test_a_record_comes_back_bit_by_bit(cell):
    assert files.read_json(cell) == RECORD
    assert [path.name for path in cell.parent.iterdir()] == ["cell.json"]


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_floats_keep_their_bits(number):
    assert json.loads(json.dumps(number)).hex() == number.hex()


@pytest.mark.parametrize(
    "damage",
    [
        lambda text: "",
        lambda text: text[: len(text) // 2],
        lambda text: text.replace("0.30000000000000004", "0.3"),
        lambda text: text.replace("above", "below"),
        lambda text: text.replace('"side": "above",', ""),
        lambda text: '{"another": "file"}',
        lambda text: "[1, 2]",
    ],
)
def test_a_damaged_record_is_refused_with_the_command_that_makes_it_again(cell, damage):
    text = cell.read_text(encoding="utf-8")
    assert damage(text) != text
    cell.write_text(damage(text), encoding="utf-8")
    with pytest.raises(ValueError, match=f"make it again with: snakemake --cores 1 --force {cell}"):
        files.read_json(cell)


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_numbers_that_json_does_not_have_are_refused(tmp_path, number):
    with pytest.raises(ValueError, match="JSON"):
        files.write_json(tmp_path / "cell.json", {"height_m": number})
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("error", [RuntimeError("wrong"), OSError(errno.ENOSPC, "No space left on device")])
def test_an_error_leaves_nothing_behind_and_a_full_disk_names_the_file(tmp_path, error):
    path = tmp_path / "table.csv"

    def fail() -> None:
        with files.replacing(path) as part:
            part.write_text("half")
            raise error

    with pytest.raises(type(error), match="wrong" if isinstance(error, RuntimeError) else f"No space left on device: '{path}'"):
        fail()
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("damage", [lambda seal: seal[1:], lambda seal: "{}", lambda seal: "[1]"])
def test_a_seal_says_what_made_a_file_unless_it_is_damaged(tmp_path, damage):
    path = tmp_path / "results/table.csv"
    assert files.made(path) is None
    files.write_csv(path, [{"a": 1}])
    made = files.made(path)
    assert made["name"] == "table.csv"
    assert made == files.origin(path, made["by"])
    seal = path.with_name(".seal.table.csv")
    seal.write_text(damage(seal.read_text(encoding="utf-8")), encoding="utf-8")
    assert files.made(path) is None
