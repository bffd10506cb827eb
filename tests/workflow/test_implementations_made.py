"""What `make test-implementations` makes: C beside the others is C, and the numbers of page and caption are the table's."""

import re

import pandas as pd
import pytest
from conftest import PROJECT

from records import tables

TABLE = PROJECT / "results/implementations.csv"
PAGE = PROJECT / "docs/implementations.md"
NAMES = {
    ("mjx-3.17.0", "dtype=float64"): "MJX float64",
    ("mjx-3.17.0", "dtype=float32"): "MJX float32",
    ("warp-3.17.0", "nativeccd=enable"): "Warp",
    ("warp-3.17.0", "nativeccd=disable"): "Warp, `nativeccd` disabled",
}


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    if not TABLE.exists():
        pytest.skip("the table of other implementations is not made; make test-implementations makes it")
    return tables.read(TABLE)


def as_in_c(rows: pd.DataFrame) -> str:
    """How many of the cells that can run end as in C: "30 of 30"."""
    ran = rows[rows["verdict"] != "cannot run"].drop_duplicates("cell")
    alike = (ran["outcome"] == ran["c_outcome"]) & (ran["failure_mode"] == ran["c_failure_mode"])
    return f"{alike.sum()} of {len(ran)}"


def test_c_beside_the_others_is_the_experiments_own_run(table):
    ran = table[table["verdict"] != "cannot run"]
    assert ran["c_same_bits"].all()


def test_no_memory_was_short(table):
    assert table["overflow"].isna().all()


def test_the_pages_table_of_drops_is_the_measured_one(table):
    page, drops = PAGE.read_text(encoding="utf-8"), table[table["experiment"] == "drop"]
    for (engine, option), name in NAMES.items():
        own = drops[(drops["engine"] == engine) & (drops["option"] == option)]
        tilted = own[(own["sweep"] == "tilted") & own["cell"].str.contains("tilt")]
        straight = own[~own["cell"].str.contains("tilt|RK4")]
        furthest = f"{straight['largest_apart_m'].max():.0e}".replace("e-0", "e-")
        counts = [as_in_c(straight[straight["sweep"] == sweep]) for sweep in ("timestep", "integrators")]
        assert f"| {name} | {' | '.join([*counts, as_in_c(tilted), furthest])} |" in page


def test_an_integrator_that_mjx_lacks_is_a_row_with_its_reason(table):
    lacking = table[table["verdict"] == "cannot run"]
    assert set(lacking["engine"]) == {"mjx-3.17.0"}
    assert lacking["cell"].str.contains("integrator=discrete").all()
    assert lacking["reason"].str.startswith("integrator is discrete, and mjx-3.17.0 has no step").all()


def test_warps_convex_collider_finds_fewer_contacts_of_a_tilted_cube_than_c(table):
    """Seen where it lets a cube through that C keeps."""
    warp = table[(table["option"] == "nativeccd=enable") & (table["sweep"] == "tilted") & (table["c_outcome"] == "kept")]
    through = warp[warp["outcome"] != "kept"]
    assert len(through) > 0
    assert (through["first_contacts"] <= through["c_first_contacts"]).all()
    assert (through["first_contacts"] < through["c_first_contacts"]).any()


def test_a_nan_control_spoils_all_of_an_mjx_world_and_is_the_lower_limit_in_warp(table):
    """C takes every control as 0 for as long as one is not finite."""
    clamp = table[(table["sweep"] == "clamp") & table["cell"].str.contains("value=nan")].set_index(["engine", "option", "cell"])
    limited = "value=nan ctrlrange=yes"
    assert clamp.loc[("mjx-3.17.0", "dtype=float64", limited), "ended"] == "nan nan"
    assert clamp.loc[("warp-3.17.0", "nativeccd=enable", limited), "ended"].split()[0] == "0.500000"
    assert clamp.loc[("warp-3.17.0", "nativeccd=enable", limited), "ended"].split()[1].startswith("-1.0")
    assert clamp.loc[("warp-3.17.0", "nativeccd=enable", "value=nan ctrlrange=no"), "ended"] == "nan nan"


def test_the_caption_has_the_counts_of_the_table(table):
    caption = (PROJECT / "workflow/report/implementations_figure.rst").read_text(encoding="utf-8")
    tilted = table[(table["sweep"] == "tilted") & table["cell"].str.contains("tilt")]
    counts = {
        name: as_in_c(tilted[(tilted["engine"] == engine) & (tilted["option"] == option)])
        for (engine, option), name in NAMES.items()
    }
    assert f"{counts['Warp']} tilted drops" in caption
    assert f"{counts['MJX float64']} of them in MJX" in caption or counts["MJX float64"] in caption
    assert re.search(r"\bnan\b|NaN", caption)
