/* A table as paper can hold it: whole, over as many pages as it needs. On a screen there is the other one, which
 * scrolls. `data` is {headings: [text], rows: [[text]], note}. */

const tables = new WeakMap();

function tableOf(data) {
  const table = document.createElement("table");
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
