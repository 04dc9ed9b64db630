/* A list that ranks places by how many people entered them today: name, bar, number and share.
 *
 * A row is {title, whole, href, count, note, isTrusted}; count is null where it is not known: it comes last, is
 * not 0, and takes the shares of all others with it.
 */

var SHOWN_AT_ONCE = 8; // rows; a button shows the rest
var MUCH_LATER = 15 * 60; // seconds after which a later first count of today is said
var FEWEST_SHARED = 8; // letters; fewer in common stay in sight, too

function rankingInto(parent, heading) {
  var node = element("section", "ranking", parent);
  node.setAttribute("aria-label", heading);
  element("h3", "heading", node).textContent = heading;
  var list = element("ol", "places-list", node);
  var more = element("button", "more", node);
  more.type = "button";
  var note = element("p", "note", node);
  var lines = [];
  var isWhole = false;
  var drawn = null;

  more.addEventListener("click", function () {
    isWhole = !isWhole;
    fold();
  });

  function fold() {
    lines.forEach(function (line, position) {
      line.node.hidden = !isWhole && position >= SHOWN_AT_ONCE;
    });
    more.hidden = lines.length <= SHOWN_AT_ONCE;
    more.setAttribute("aria-expanded", String(isWhole));
    setText(more, isWhole ? say("showFewer", { n: SHOWN_AT_ONCE }) : say("showAll", { n: lines.length }));
  }

  return {
    node: node,
    draw: function (rows, text, format) {
      setText(note, text);
      var ranked = ranking(rows);
      var wanted = JSON.stringify(ranked);
      if (wanted === drawn) {
        return;
      }
      drawn = wanted;
      while (lines.length > ranked.length) {
        list.removeChild(lines.pop().node);
      }
      while (lines.length < ranked.length) {
        lines.push(rankingLine(list));
      }
      var titles = ranked.map(function (row) {
        return row.title;
      });
      lines.forEach(function (line, position) {
        line.draw(ranked[position], format);
        distinctTitleInto(line.name, titles, position);
      });
      fold();
    },
  };
}

/* The rows, most first, each with its share of all in percent and the length of its bar. */
function ranking(rows) {
  var known = rows.filter(isCounted);
  var total = known.reduce(function (sum, row) {
    return sum + row.count;
  }, 0);
  var most = known.reduce(function (largest, row) {
    return Math.max(largest, row.count);
  }, 0);
  var isWhole = known.length === rows.length;
  return rows
    .map(function (row, position) {
      return Object.assign({ position: position }, row, {
        share: isWhole && total > 0 ? (100 * row.count) / total : null,
        part: isCounted(row) && most > 0 ? Math.max(0, row.count / most) : 0,
      });
    })
    .sort(function (one, other) {
      var both = Number(isCounted(other)) - Number(isCounted(one));
      return both || (isCounted(one) ? other.count - one.count : 0) || one.position - other.position;
    });
}

function isCounted(row) {
  return typeof row.count === "number";
}

function rankingLine(list) {
  var node = element("li", "place", list);
  var name = element("a", "name", node);
  var track = element("span", "bar", node);
  var bar = element("span", "fill", track);
  track.setAttribute("aria-hidden", "true");
  var count = element("span", "count", node);
  var share = element("span", "part", node);
  var note = element("span", "details", node);
  return {
    node: node,
    name: name,
    draw: function (row, format) {
      if (row.href) {
        name.href = row.href;
      } else {
        name.removeAttribute("href");
      }
      name.title = row.whole || row.title;
      bar.style.width = 100 * row.part + "%";
      setText(count, isCounted(row) ? format.number(row.count) : NO_NUMBER);
      setText(share, row.share === null ? "" : partWords(row.share, format));
      setText(note, row.note || "");
      node.setAttribute("data-trusted", String(row.isTrusted));
    },
  };
}

/* A share of a whole, rounded half up, as floored ones add up to too little; only of a capacity is none rounded up. */
function partWords(share, format) {
  return percentWords(share < 1 ? share : Math.round(share), format);
}

/* The zones of a live view by today's entrances, as the relay reports them. `items` are gauges' items. */
function zoneRanking(parent, items) {
  var list = rankingInto(parent, WORDS.zonesByEntrances);

  function drawRanking(link, options) {
    var views = items.map(function (item) {
      return viewOf(item, link, options);
    });
    var since = views.reduce(function (earliest, view) {
      var own = view.feed && view.feed.today_since;
      return own && (earliest === null || own < earliest) ? own : earliest;
    }, null);
    var rows = items.map(function (item, position) {
      return zoneRow(item, views[position], since);
    });
    list.draw(rows, zonesNote(rows, views[0], since), views[0].format);
  }
  return { items: items, node: list.node, draw: drawRanking };
}

function zoneRow(item, view, since) {
  var feed = view.feed;
  var count = feed && typeof feed.entrances_today === "number" ? feed.entrances_today : null;
  var isLate = count !== null && feed.today_since - since > MUCH_LATER;
  // Drift spoils the number inside, not how many entered.
  var isCurrent = view.freshness.isCurrent;
  return {
    title: item.title,
    whole: item.whole_title,
    href: item.href,
    count: count,
    isTrusted: isCurrent,
    note: joined([
      isLate && say("since", { time: view.format.moment(feed.today_since) }),
      count !== null && minutesWords(view, "minutesOf"),
      !isCurrent && outdatedWords(view),
    ]),
  };
}

/* What keeps the count of today from being of now; beside a figure, "no counts" says since when. */
function outdatedWords(view) {
  var isSilent = view.freshness.icon === "silent" && view.feed.measured_at;
  var since = isSilent ? " " + say("since", { time: view.format.moment(view.feed.measured_at) }) : "";
  return view.freshness.word + since;
}

function zonesNote(rows, view, since) {
  var unknown = rows.filter(function (row) {
    return !isCounted(row);
  }).length;
  if (unknown === rows.length) {
    return WORDS.noEntrances;
  }
  var shares = unknown ? say("notAllCounted", { n: unknown, all: rows.length }) : WORDS.sharesOfZones;
  var later = laterThanToday(since, view.format);
  return joined([shares, later && say("countedSince", { time: later })]);
}

/* Writes titles[position] into a node of one line, where it is cut if it does not fit: in two parts where it begins as
 * another one does, so that what tells it apart stays in sight. */
function distinctTitleInto(node, titles, position) {
  var title = titles[position];
  var start = ownStart(title, sharedLetters(titles, position));
  if (node.textContent === title && node.ownStart === start) {
    return;
  }
  node.ownStart = start;
  node.classList.toggle("parted", start > 0);
  node.textContent = start ? "" : title;
  if (start) {
    element("span", "shared", node).textContent = title.slice(0, start);
    element("span", "own", node).textContent = title.slice(start);
  }
}

/* Where the word begins in which a title leaves the others; 0 where it need not be cut before. */
function ownStart(title, shared) {
  var word = title.lastIndexOf(" ", shared - 1) + 1;
  shared -= /[\ud800-\udbff]/.test(title.charAt(shared - 1)) ? 1 : 0; // one sign may be two letters of a script
  if (shared < FEWEST_SHARED || word >= FEWEST_SHARED) {
    return shared < FEWEST_SHARED ? 0 : word;
  }
  return shared < title.length ? shared : 0;
}
