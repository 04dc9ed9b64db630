/* One site, live: how full it is, its zones as a graph and as a table, and which of them were entered most. */

function arrangePage(root, options) {
  var item = options.items[0];
  var whole = cardDrawing(item);
  var zones = options.items.slice(1);
  element("h2", "what", root).textContent = item.whole_title;
  element("div", "cards", root).appendChild(whole.node);
  var today = todayFactsInto(element("div", "facts today", root), null, item);
  var drawings = [whole, speechInto(root, item), today, clockInto(root, item)];
  heading(root, SITE_WORDS.zonesAndPassages);
  if (options.graph.drawn_as) {
    drawings.push(drawnAsInto(root, options.graph));
  }
  if (options.graph.drawings.length) {
    drawings.push(graphInto(element("div", "graph-frame", root), options.graph));
    drawings.push(legendInto(root), graphPictureInto(root, item, options.graph));
  }
  if (options.graph.note) {
    element("p", "note", root).textContent = options.graph.note;
  }
  if (zones.length) {
    heading(root, SITE_WORDS.zones);
    drawings = drawings.concat(tableInto(root, zones, item));
  }
  return options.ranked.length > 1 ? drawings.concat(zoneRanking(root, options.ranked)) : drawings;
}

/* Why the number of the whole site is not to be trusted, where it is not; the time there, by the server's clock. */
function clockInto(root, item) {
  var why = element("p", "why", root);
  var node = element("p", "note clock", root);
  return {
    draw: function (link, options) {
      var view = viewOf(item, link, options);
      var names = { time: view.now === null ? NO_NUMBER : view.format.time(view.now), place: placeOf(view.format.zone) };
      var reasons = view.freshness.isTrusted ? "" : joined(view.freshness.details);
      setText(why, reasons && view.freshness.word + ": " + reasons);
      setText(node, joined([fillIn(SITE_WORDS.localTime, names), view.zoneNote]));
    },
  };
}
