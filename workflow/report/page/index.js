// Tables are searched, sorted and paged by DataTables, which itables brings along; without it they are plain and whole.
const code = JSON.parse(document.getElementById("datatables").textContent);
const { ITable, set_or_remove_dark_class } = await import(URL.createObjectURL(new Blob([code], { type: "text/javascript" })));
set_or_remove_dark_class();

const made = new Map();

function searchable(table, controls = []) {
  if (!made.has(table)) {
    const search = { search: { placeholder: "search", text: "" } };
    const small = table.tBodies[0].rows.length <= 10;
    const options = {
      autoWidth: false,
      order: [],
      pageLength: 25,
      lengthMenu: [25, 100, { label: "all", value: -1 }],
      layout: { topStart: [...controls, search], topEnd: "pageLength", bottomStart: "info", bottomEnd: "paging" },
      language: { lengthMenu: "_MENU_ rows", info: "_START_ to _END_ of _TOTAL_ rows", infoFiltered: "(of _MAX_)" },
    };
    const bare = { topStart: null, topEnd: null, bottomStart: null, bottomEnd: null };
    made.set(table, new ITable(table, small ? { ...options, layout: bare } : options).dt);
  }
  return made.get(table);
}

// The ledger has a choice of documents and of verdicts, which the counts in the headline set; the page of audits has no ledger.
const filters = document.getElementById("filters");
if (filters) {
  const ledger = searchable(document.getElementById("ledger"), [filters]);
  filters.hidden = false;
  filters.addEventListener("change", ({ target }) => {
    ledger.column(`${target.name}:name`).search(target.value, { exact: target.value !== "" }).draw();
  });
}
for (const count of document.querySelectorAll("a[data-verdict]")) {
  count.addEventListener("click", () => {
    for (const select of filters.elements) {
      select.value = count.dataset[select.name];
      select.dispatchEvent(new Event("change", { bubbles: true }));
    }
  });
}

// A folded table waits until it is opened, by hand or by a link to it.
for (const fold of document.querySelectorAll("details.fold:has(table)")) {
  const opened = () => fold.open && searchable(fold.querySelector("table"));
  fold.addEventListener("toggle", opened);
  opened();
}
function unfold() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (target instanceof HTMLDetailsElement) target.open = true;
}
window.addEventListener("hashchange", unfold);
unfold();

// Paper has no pages to turn and nothing to unfold.
const lengths = new Map();
addEventListener("beforeprint", () => {
  for (const fold of document.querySelectorAll("details.printed")) fold.open = true;
  for (const [table, shown] of made) {
    lengths.set(table, shown.page.len());
    shown.page.len(-1).draw();
  }
});
addEventListener("afterprint", () => {
  for (const [table, length] of lengths) made.get(table).page.len(length).draw();
});
