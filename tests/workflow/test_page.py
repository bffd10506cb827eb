"""The page of all results in headless Chromium without a network: what it shows is what the tables hold."""

import base64
import json
import re
import time
from itertools import pairwise
from pathlib import Path

import pandas as pd
import pytest
from conftest import PROJECT

PAGE, LEDGER = "results/index.html", "results/ledger.csv"
SHOWN_ROWS = "return [...document.querySelectorAll('#ledger tbody tr')].map(row => row.dataset.row);"
READY = "return document.querySelectorAll('#ledger_wrapper').length;"
SORTED = "return document.querySelectorAll('#ledger thead th:nth-child(4)[aria-sort=ascending]').length;"


@pytest.fixture(scope="module")
def small(undisturbed, tmp_path_factory):
    """A copy of the project in which the small grid has made everything that `make` makes."""
    workflow = undisturbed.copied_to(tmp_path_factory.mktemp("page") / "a project")
    workflow.executed()
    return workflow


@pytest.fixture(params=["small", "published"])
def folder(request) -> Path:
    """A folder with a page: the small one, and this one where `make` has made the published one."""
    if request.param == "small":
        return request.getfixturevalue("small").folder
    if not (PROJECT / PAGE).is_file():
        pytest.skip(f"{PAGE} is not there: `make` makes it")
    return PROJECT


@pytest.fixture
def page(folder, browser):
    """The page, its tables ready to be searched."""
    browser.show()
    browser.open(folder / PAGE)
    wait(browser, READY)
    return browser


@pytest.fixture
def ledger(folder) -> pd.DataFrame:
    return pd.read_csv(folder / LEDGER, dtype=str, keep_default_na=False)


def wait(page, condition: str) -> None:
    """Until a piece of JavaScript returns something true, ten seconds at most."""
    end = time.monotonic() + 10
    while not page.run(condition):
        assert time.monotonic() < end, condition


def all_rows(page) -> None:
    """Let the ledger show all that was found at once."""
    page.run("const length = document.querySelector('#ledger_wrapper .dt-length select'); length.value = -1;"
             "length.dispatchEvent(new Event('change', {bubbles: true}));")  # fmt: skip


def choose(page, name: str, value: str) -> None:
    page.run("const select = document.querySelector(`#filters [name=${arguments[0]}]`); select.value = arguments[1];"
             "select.dispatchEvent(new Event('change', {bubbles: true}));", name, value)  # fmt: skip


def shown(page) -> list[int]:
    return [int(row) for row in page.run(SHOWN_ROWS)]


def test_the_headline_is_the_ledgers(page, ledger):
    counts = ledger["verdict"].value_counts()
    out = counts.get("exact", 0) + counts.get("within", 0)
    assert page.texts("h1") == [f"{out} of {len(ledger)} published numbers come out here"]
    assert page.texts(".counts tfoot td") == [
        str(number) for number in (out, len(ledger), *counts[page.texts(".counts thead .verdict")])
    ]


@pytest.mark.parametrize("word", ["squeeze", "abs_position", "cap=0.5", "placement", "differs"])
def test_a_word_finds_the_rows_that_pandas_finds(page, ledger, word):
    all_rows(page)
    page.press("#ledger_wrapper .dt-search input", word)
    searched = ledger.drop(columns=["document", "kind", "band", "measured", "engine", "machine", "cause_kind", "comes_out"])
    found = searched.apply(lambda column: column.str.contains(word, case=False, regex=False)).any(axis=1)
    assert shown(page) == list(ledger.index[found])
    assert found.any() or word == "placement"


def test_a_verdict_and_a_document_filter(page, ledger):
    all_rows(page)
    choose(page, "verdict", "differs")
    assert shown(page) == list(ledger.index[ledger["verdict"] == "differs"])
    choose(page, "document", "lesson 16")
    assert shown(page) == list(ledger.index[(ledger["verdict"] == "differs") & (ledger["document"] == "grasp")])
    choose(page, "verdict", "")
    assert shown(page) == list(ledger.index[ledger["document"] == "grasp"])


def test_a_count_of_the_headline_shows_its_rows(page, ledger):
    page.click("a[data-document='lesson 02'][data-verdict=exact]")
    all_rows(page)
    assert shown(page) == list(ledger.index[(ledger["verdict"] == "exact") & (ledger["document"] == "timestep")])


def test_measured_numbers_sort_by_their_value(page, ledger):
    all_rows(page)
    page.press("#ledger thead th:nth-child(4) .dt-column-order", "\ue007")  # Enter
    wait(page, SORTED)
    numbers = pd.to_numeric(ledger["measured"].str.partition("..")[0], errors="coerce")[shown(page)].dropna()
    assert len(numbers) > 50
    assert (numbers.diff().dropna() >= -1e-8 * numbers.abs()[1:]).all()  # eight digits are shown


def test_a_row_names_the_cells_and_the_table_behind_it(page, folder, ledger):
    row = ledger.index[(ledger["section"] == "experiment") & (ledger["case"] == "dt_ms=2;integrator=Euler;solref=default")][0]
    all_rows(page)
    page.run("document.querySelector(`#ledger [data-row='${arguments[0]}'] details`).open = true;", str(row))
    cells = page.texts(f"#ledger [data-row='{row}'] .cells code")
    assert [json.loads((folder / cell).read_text(encoding="utf-8"))["settings"]["dt_ms"] for cell in cells] == [2]
    page.click(f"#ledger [data-row='{row}'] details a")
    assert page.run("return document.querySelector('#timestep-csv').open;")


def test_a_folded_table_is_searched_as_pandas_searches_it(page, folder):
    table = pd.read_csv(folder / "results/stepping_growth.csv", dtype=str, keep_default_na=False)
    page.run("document.getElementById('stepping_growth-csv').open = true;")
    page.press("#stepping_growth-csv input", "rk4")
    found = table.apply(lambda column: column.str.contains("rk4", case=False)).any(axis=1)
    rows = page.texts("#stepping_growth-csv tbody tr")
    assert 0 < found.sum() == len(rows) < len(table)


def test_every_result_is_shown_with_its_caption(page, folder):
    made = {
        path.relative_to(folder).as_posix() for path in (*folder.glob("figures/[!.]*.png"), *folder.glob("results/[!.]*.csv"))
    }
    links = set(page.run("return [...document.querySelectorAll('.source a')].map(link => link.getAttribute('href'));"))
    pictures = page.run("return document.images.length;")
    assert {f"results/{name}" for name in links} <= made
    if folder != PROJECT:  # there may be what is of other code, or of nobody's
        assert {f"results/{name}" for name in links} == {name for name in made if name.endswith(".csv")}
        assert pictures == sum(name.endswith(".png") for name in made)
    assert page.run("return [...document.querySelectorAll('article')].filter(a => !a.querySelector('.found')).length;") == 0
    captions = page.texts(".found")
    assert len(captions) > 0.7 * (pictures + len(links))  # a preset's table and figure have one
    for caption in captions:
        assert len(caption) > 60
        assert not re.search(r"\{\{|\}\}|\{%|``|\*\w|`_|System Message|Undefined", caption), caption


def test_every_picture_is_loaded_and_says_what_it_shows(page):
    pictures = page.run(
        "return [...document.images].map(i => [i.complete, i.naturalWidth, i.width, i.alt, i.src.slice(0, 15)]);"
    )
    assert len(pictures) > 5
    for complete, natural, width, alt, source in pictures:
        assert complete
        assert source == "data:image/png;"
        assert natural >= width >= 600
        assert len(alt.split()) > 5
        assert len({alt for *_, alt, _ in pictures}) == len(pictures)


def test_the_page_asks_for_nothing_and_says_nothing_on_the_console(page):
    page.run("for (const fold of document.querySelectorAll('details')) fold.open = true;")
    page.run("scrollTo(0, document.body.scrollHeight);")
    page.assert_nothing_went_wrong()


def test_headings_are_in_order_and_the_contents_lead_to_sections(page):
    levels = page.run("return [...document.querySelectorAll('h1, h2, h3, h4')].map(heading => Number(heading.tagName[1]));")
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(later - earlier <= 1 for earlier, later in pairwise(levels))
    links = page.run("return [...document.querySelectorAll('body > nav a')].map(a => [a.textContent, a.hash]);")
    assert [text for text, _ in links] == page.texts("h2")
    for _, target in links:
        assert page.run("return document.querySelectorAll(arguments[0]).length;", target) == 1
    ids = page.run("return [...document.querySelectorAll('[id]')].map(element => element.id);")
    assert len(ids) == len(set(ids))


def test_a_keyboard_unfolds_and_folds(page):
    page.press("body", "\ue004")  # Tab
    assert page.run("return document.activeElement.className;") == "skip"
    summary = "#timestep-csv > summary"
    page.press(summary, "\ue007")
    assert page.run("return document.querySelector('#timestep-csv').open;")
    page.press(summary, " ")
    assert not page.run("return document.querySelector('#timestep-csv').open;")


CONTRAST = """
const number = text => text.match(/[0-9.]+/g).map(Number);
const light = ([r, g, b]) => [r, g, b].map(c => c / 255).map(c => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
  .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
const over = (below, [r, g, b, a = 1]) => below.map((c, i) => c * (1 - a) + [r, g, b][i] * a);
function ground(element) {
  const layers = [];
  for (let e = element; e; e = e.parentElement) layers.unshift(number(getComputedStyle(e).backgroundColor));
  return layers.reduce(over, [255, 255, 255]);
}
const words = [...document.querySelectorAll(
  "p, th, td, a, code, summary, h1, h2, h3, dt, dd, label, select, input, .case, .unit, .yaml span, .dt-info, button.current"
)].filter(element => element.checkVisibility() && element.textContent.trim());
return words.map(element => {
  const below = ground(element);
  const pair = [light(over(below, number(getComputedStyle(element).color))), light(below)].sort((a, b) => a - b);
  return [(pair[1] + 0.05) / (pair[0] + 0.05), element.outerHTML.slice(0, 120)];
}).sort((a, b) => a[0] - b[0]).slice(0, 3);
"""


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_all_words_have_the_contrast_that_wcag_asks_of_text(page, dark):
    page.show(dark=dark)
    page.run("for (const fold of document.querySelectorAll('details')) fold.open = true;")
    assert (page.run("return getComputedStyle(document.body).backgroundColor;") == "rgb(255, 255, 255)") is not dark
    for contrast, element in page.run(CONTRAST):
        assert contrast >= 4.5, element


def test_a_phone_shows_the_page_without_scrolling_sideways(page):
    page.show(width=390)
    page.run("for (const fold of document.querySelectorAll('details')) fold.open = true;")
    assert page.run("return [innerWidth, document.documentElement.scrollWidth];") == [390, 390]


def test_paper_has_all_captions_and_rows_and_no_controls(page, ledger):
    page.run(
        "addEventListener('beforeprint', () => { window.printed = document.querySelectorAll('#ledger tbody tr').length; });"
    )
    assert base64.b64decode(page.command("Page.printToPDF")["data"]).startswith(b"%PDF")
    assert page.run("return window.printed;") == len(ledger)
    assert len(shown(page)) == min(25, len(ledger))
    page.show(media="print")
    hidden = "return [...document.querySelectorAll(arguments[0])].filter(e => e.checkVisibility() === arguments[1]).length;"
    assert page.run(hidden, ".found, figure img, h1, h2, h3, .yaml", False) == 0
    assert page.run(hidden, "body > nav, input, select, button, .dt-paging, .dt-info, .cause details", True) == 0


def last_line(done) -> str:
    return done.stdout.splitlines()[-1]


def test_a_run_ends_with_what_came_out_and_where_to_look(small):
    verdicts = pd.read_csv(small.folder / LEDGER, dtype=str)["verdict"]
    sentence = f"{verdicts.isin(['exact', 'within']).sum()} of {len(verdicts)} published numbers come out here"
    assert last_line(small.run("--force", LEDGER)) == f"{sentence}: {LEDGER}"
    assert last_line(small.run()) == f"{sentence}: {PAGE}"
    assert last_line(small.run()) == f"{sentence}: {PAGE}"  # with nothing to do
    for arguments in (["-n"], ["results/timestep.csv"], ["--report", "report.html"], ["--summary"]):
        assert sentence not in small.run(*arguments).stdout


def test_a_run_that_fails_says_nothing_of_what_came_out(small, tmp_path):
    workflow = small.copied_to(tmp_path / "a project")
    workflow.edit("scripts/drop/drop_table.py", "    script.run(main)", "    raise SystemExit(1)")
    done = workflow.run()
    assert done.returncode != 0
    assert "come out here" not in done.stdout


def test_the_page_shows_what_a_preset_has_left_and_asks_for_none(small, tmp_path):
    workflow = small.copied_to(tmp_path / "a project")
    workflow.executed()
    page, table = workflow.folder / PAGE, workflow.folder / "results/friction_rule.csv"
    before = page.read_bytes()
    assert workflow.executed("--force", PAGE) == {"index_page": 1}
    assert page.read_bytes() == before
    workflow.executed("friction_rule", "--configfile", "config.yaml", "presets/friction_rule.yaml")
    assert workflow.executed() == {"index_page": 1}
    text = page.read_text(encoding="utf-8")
    assert "Two geoms differ in friction and solref" in text
    assert "The geom with the higher priority decides alone" in text
    assert 'href="friction_rule.csv"' in text
    assert workflow.executed() == {}
    seal = table.with_name(".seal.friction_rule.csv")
    seal.write_text(seal.read_text(encoding="utf-8").replace('"machine ', '"machine another '), encoding="utf-8")
    assert workflow.executed() == {"index_page": 1}
    assert 'href="friction_rule.csv"' not in page.read_text(encoding="utf-8")
    for left in (table, workflow.folder / "figures/friction_rule.png"):
        left.unlink()
    assert workflow.executed() == {"index_page": 1}
    assert page.read_bytes() == before


def test_an_edited_caption_or_template_makes_the_page_again(small, tmp_path):
    workflow = small.copied_to(tmp_path / "a project")
    workflow.executed()
    workflow.edit("workflow/report/pick_story.rst", "The nominal pick in pictures", "One pick in pictures")
    assert workflow.executed() == {"index_page": 1}
    assert "One pick in pictures" in (workflow.folder / PAGE).read_text(encoding="utf-8")
    workflow.edit("workflow/report/page/index.css", "--link: #0a5ea8", "--link: #0a5ea9")
    assert workflow.executed() == {"index_page": 1}
