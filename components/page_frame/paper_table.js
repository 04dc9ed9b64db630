/* A table as paper can hold it: whole, over as many pages as it needs. On a screen there is the other one, which
 * scrolls. `data` is {headings: [text], rows: [[text]], note}. */

const tables = new WeakMap();
const PAPER = 718; // pixels between the margins of A4 upright
const LETTER = 8; // pixels, a wide one of a heading
const GAP = 10; // pixels beside each column, as in page.css

/* Whether all columns have room for their longest words, none of which needs to be broken then. */
function hasRoom(data) {
  const longest = (text) => Math.max(...text.split(/[ –-]/).map((word) => word.length));
  const letters = [data.headings, ...data.rows].reduce(
    (most, row) => most.map((known, column) => Math.max(known, longest(row[column] ?? ""))),
    data.headings.map(() => 0),
  );
  return letters.reduce((sum, one) => sum + one * LETTER + GAP, 0) <= PAPER;
}

function tableOf(data) {
  const table = document.createElement("table");
  table.classList.toggle("with-room", hasRoom(data));
  const head = table.createTHead().insertRow();
  data.headings.forEach((heading) => {
    const cell = document.createElement("th");
    cell.textContent = heading;
    head.appendChild(cell);
  });
  const body = table.createTBody();
  data.rows.forEach((row) => {
    const line = body.insertRow();
    row.forEach((text) => {
      line.insertCell().textContent = text;
    });
  });
  const note = document.createElement("p");
  note.textContent = data.note;
  return [table, note];
}

export default function ({ data, parentElement }) {
  const kept = tables.get(parentElement);
  if (kept) {
    kept.data = data;
    return kept.close;
  }
  const root = document.createElement("div");
  root.className = "paper-table";
  parentElement.appendChild(root);
  const own = { data };
  const begin = () => root.replaceChildren(...tableOf(own.data));
  const stop = onPaper(begin, () => root.replaceChildren());
  own.close = () => {
    stop();
    root.remove();
    tables.delete(parentElement);
  };
  tables.set(parentElement, own);
  return own.close;
}
