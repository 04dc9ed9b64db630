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
  if (options.graph.drawings.length) {
    drawings.push(graphInto(element("div", "graph-frame", root), options.graph), legendInto(root));
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

function heading(root, text) {
  element("h3", "heading", root).textContent = text;
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

function legendInto(root) {
  var node = element("p", "legend", root);
  var drawn = null;
  return {
    draw: function (link, options) {
      var wanted = JSON.stringify(options.thresholds);
      if (wanted === drawn) {
        return;
      }
      drawn = wanted;
      node.textContent = "";
      ["free", "filling", "full", "unknown"].forEach(function (level) {
        var mark = element("span", "mark-of-level", node);
        mark.setAttribute("data-level", level);
        setIcon(iconInto(mark), LEVEL_ICONS[level]);
        element("span", "", mark).textContent = levelWords(level, options);
      });
      element("span", "forward", node).textContent = SITE_WORDS.forward;
    },
  };
}

function levelWords(level, options) {
  var sentence = { free: SITE_WORDS.below, unknown: SITE_WORDS.unknown }[level] || SITE_WORDS.from;
  var percent = level === "full" ? options.thresholds.full : options.thresholds.filling;
  return fillIn(sentence, { word: options.levels[level].word, percent: percent });
}

function fillIn(sentence, values) {
  return sentence.replace(/\{(\w+)\}/g, function (whole, key) {
    return values[key];
  });
}
