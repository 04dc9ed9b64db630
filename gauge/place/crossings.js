/* Who crosses: of each way the people of the last hour, both directions, as the relay pushes them by passage.
 *
 * A feed of passages is {passages: {id: [forward, backward, seenForward, seenBackward, counted, all]}, read_age,
 * old_after, reason}: people in the last hour (null: not counted) and people seen to cross since somebody looks; then,
 * where some lack, in how many minutes of that hour they are counted, and how many there are; null for one that is not
 * read.
 * `read_age` is in seconds, null before any is read; after `old_after` of them that is old.
 */

var OLD_CROSSINGS = 300; // seconds, where the relay does not say after how many

/* {feed, age, isTrusted, format, ways: [both]}: both is [forward, backward] of the last hour, or null. */
function crossingsOf(graph, link, options) {
  var feed = link.feeds[graph.crossings];
  var now = link.serverNow();
  var known = (feed && feed.passages) || Object.create(null);
  var age = feed && typeof feed.read_age === "number" ? feed.read_age + monotonic() - feed.receivedAt : null;
  return {
    feed: feed,
    now: now,
    age: age,
    isTrusted: link.isOpen && !link.hasExpired && Boolean(feed) && (age === null || age <= (feed.old_after || OLD_CROSSINGS)),
    format: formatFor(options.locale, graph.timezone, now),
    ways: graph.ways.map(function (way) {
      return summed(way.passages, known, 0);
    }),
    isRead: function (way) {
      return way.passages.every(function (id) {
        return Boolean(known[id]);
      });
    },
    minutes: function (way) {
      return leastCounted(way.passages, known);
    },
  };
}

/* [forward, backward] of all these passages, from that place of what is told of each; null: one is not known. */
function summed(ids, known, place) {
  return ids.reduce(function (sum, id) {
    var own = known[id];
    var isKnown = sum && own && typeof own[place] === "number" && typeof own[place + 1] === "number";
    return isKnown ? [sum[0] + own[place], sum[1] + own[place + 1]] : null;
  }, ids.length ? [0, 0] : null);
}

/* [counted, all] minutes of that of these passages which lacks most of them; null: none lacks any. */
function leastCounted(ids, known) {
  return ids.reduce(function (least, id) {
    var own = known[id] && known[id].length > 5 ? known[id].slice(4) : null;
    return own && (!least || own[0] * least[1] < least[0] * own[1]) ? own : least;
  }, null);
}

/* The most of any way in one direction; 0 where nobody crossed. */
function mostOf(ways) {
  return ways.reduce(function (most, both) {
    return both ? Math.max(most, both[0], both[1]) : most;
  }, 0);
}

/* `minutes` as `leastCounted` tells them. */
function crossedWords(both, isRead, format, minutes) {
  if (!both) {
    return isRead ? PLACE_WORDS.notCounted : PLACE_WORDS.notRead;
  }
  var crossed = placeWords("crossed", { forward: format.number(both[0]), backward: format.number(both[1]) });
  var part = minutes && placeWords("minutesOf", { n: format.number(minutes[0]), all: format.number(minutes[1]) });
  return part ? crossed + ", " + part : crossed;
}

/* Of when the numbers are, how old that is, why none come, and what the widest means. In what is kept (`isStill`) no
 * age: it grows. */
function crossingsNote(found, isStill) {
  var feed = found.feed;
  var most = mostOf(found.ways);
  var why = feed ? withoutStop(feed.reason) : "";
  if (!feed || found.age === null) {
    return joined([why || PLACE_WORDS.reading]);
  }
  var time = found.format.moment(found.now - found.age);
  if (!found.isTrusted) {
    return joined([placeWords("notLately", { time: time }), why]);
  }
  var widest = most ? placeWords("widest", { n: found.format.number(most) }) : "";
  var values = { time: time, ago: found.format.ago(found.age) };
  return joined([placeWords(isStill ? "lastHourStill" : "lastHour", values), widest, why]);
}

function placeWords(name, values) {
  return PLACE_WORDS[name].replace(/\{(\w+)\}/g, function (whole, key) {
    return values[key];
  });
}

/* All ways with their numbers, below the drawing; above them how new these are, and the one that is pointed at. */
function wayListInto(parent, graph) {
  var pointed = element("p", "pointed", parent);
  var list = element("ul", "ways", parent);
  if (graph.crossings) {
    list.setAttribute("aria-hidden", "true"); // who listens is told of each line by its own name
  }
  var note = element("p", "note read-at", parent);
  var entries = [];
  var position = null;

  function fill(labels) {
    list.textContent = "";
    position = null;
    var isNumbered = labels.some(function (label) {
      return !label || !label[1];
    });
    list.classList.toggle("unnumbered", !isNumbered);
    entries = graph.ways.map(function (way, place) {
      var entry = element("li", "", list);
      var isNamed = Boolean(labels[place] && labels[place][1]);
      element("span", "number", entry).textContent = isNamed ? "" : String(place + 1);
      var words = element("span", "", entry);
      element("span", "", words).textContent = way.title;
      // Without numbers, only what does not stand in the drawing is listed.
      entry.hidden = isNamed && !graph.crossings;
      return element("strong", "crossed", words);
    });
    list.hidden = !entries.some(function (entry) {
      return !entry.parentNode.parentNode.hidden;
    });
  }

  return {
    fill: fill,
    point: function (place) {
      position = place;
    },
    draw: function (found, words) {
      entries.forEach(function (entry, place) {
        setText(entry, graph.crossings ? words[place] : "");
        entry.parentNode.parentNode.setAttribute("data-pointed", String(place === position));
      });
      setText(note, graph.crossings ? crossingsNote(found, graph.isStill) : "");
      var told = position === null ? PLACE_WORDS.pointAt : graph.ways[position].title + ": " + words[position];
      setText(pointed, graph.crossings ? told : "");
    },
  };
}
