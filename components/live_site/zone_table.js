/* All zones of a site as a table, fullest first, the whole site last: what each holds, of how much, and how old that is. */

var COLUMNS = ["zone", "inside", "capacity", "level", "share", "area", "density", "freshness"];
var LESS_NEEDED = { capacity: true, area: true, density: true }; // not on a phone

function tableInto(parent, items, whole) {
  var frame = element("div", "table-frame", parent);
  var table = element("table", "zones", frame);
  element("caption", "speech", table).textContent = SITE_WORDS.zones;
  var head = element("tr", "", element("thead", "", table));
  // On a phone rows are laid out as cards, and would be a table no more to who hears them.
  withRole(table, "table");
  withRole(head.parentNode, "rowgroup");
  withRole(head, "row");
  COLUMNS.forEach(function (name) {
    var cell = withRole(element("th", cellClass(name), head), "columnheader");
    cell.scope = "col";
    cell.textContent = SITE_WORDS.columns[name];
  });
  var body = withRole(element("tbody", "", table), "rowgroup");
  var rows = items.map(function (item) {
    return tableRow(body, item);
  });

  // The site as a whole is none of its parts, and no rival of theirs: the foot of the list.
  var parts = rows.filter(function (row) {
    return row.item.feed !== whole.feed;
  });
  rows.forEach(function (row) {
    row.node.classList.toggle("whole", row.item.feed === whole.feed);
    body.appendChild(row.node);
  });
  parts.forEach(function (row, position) {
    body.insertBefore(row.node, body.children[position]);
  });
  return rows.concat(orderInto(body, parts));
}

function tableRow(body, item) {
  var node = withRole(element("tr", "", body), "row");
  var cells = {};
  COLUMNS.forEach(function (name) {
    var isName = name === "zone";
    cells[name] = withRole(element(isName ? "th" : "td", cellClass(name), node), isName ? "rowheader" : "cell");
  });
  cells.zone.scope = "row";
  var link = element("a", "name", cells.zone);
  link.href = item.href;
  link.textContent = item.title;
  link.title = item.whole_title || item.title;
  element("span", "subtitle", cells.zone).textContent = item.subtitle;
  var level = levelInto(cells.level);
  var bar = element("span", "fill", element("span", "bar", cells.share));
  var share = element("span", "part", cells.share);
  var state = freshnessInto(cells.freshness);
  var why = element("span", "subtitle less-needed", cells.freshness);

  function drawRow(relay, options) {
    var view = viewOf(item, relay, options);
    markUp(node, view);
    setText(cells.inside, view.inside === null ? NO_NUMBER : view.format.number(view.inside));
    setText(cells.capacity, item.capacity ? view.format.number(item.capacity) : SITE_WORDS.notReported);
    drawLevel(level, item, view, options);
    bar.style.width = (view.share === null ? 0 : Math.max(0, Math.min(100, view.share))) + "%";
    setText(share, view.share === null ? "" : percentWords(view.share, view.format));
    setText(cells.area, item.area ? view.format.short(item.area) + "\u00a0m²" : SITE_WORDS.notReported);
    setText(cells.density, densityWords(item, view));
    drawFreshness(state, view, true, view.age === null ? "" : view.format.ago(view.age));
    setText(why, view.freshness.isSpoilt && view.freshness.isCurrent ? joined(view.freshness.details) : "");
  }
  return { item: item, node: node, draw: drawRow };
}

function withRole(node, role) {
  node.setAttribute("role", role);
  return node;
}

function densityWords(item, view) {
  var isKnown = item.area && view.inside !== null && !view.freshness.isSpoilt;
  return isKnown ? view.format.short((100 * view.inside) / item.area) : "";
}

function cellClass(name) {
  return "of-" + name + (LESS_NEEDED[name] ? " less-needed" : "");
}
