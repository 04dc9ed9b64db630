/* What passers-by read in the place of a number that nobody can stand by. Why it is so, and what comes next, is told
 * to those who can do something about it, on the Screens page. */

var WORDLESS = { moment: String, number: String, span: String, ago: String };

/* [what is missing, since when] of a feed; empty while the number can be stood by, while it is only being fetched for the
 * first time, and at a closed door: many counters sleep at night. */
function missingWords(item, link, view) {
  var since = noteMissing.kept[item.feed];
  if (view.freshness.isTrusted || view.level === "closed" || (!since && isUnsettled(view.feed))) {
    return [];
  }
  return [WORDS.lightUnknown].concat(since ? sinceWords(view.feed || {}, since, view.format) : []);
}

/* [since when] the first of several numbers, {item, view}, is missing; empty where that is known of none. */
function firstMissing(several, link) {
  function from(one) {
    return noteMissing.kept[one.item.feed] || Infinity;
  }
  var first = several.slice().sort(function (one, other) {
    return from(one) - from(other);
  })[0];
  return first ? missingWords(first.item, link, first.view).slice(1) : [];
}

/* To be called before each drawing: keeps for each feed the earliest moment, in epoch seconds, from which its number
 * could not be stood by. One trouble may end in another, and none of them makes an outage shorter. */
function noteMissing(link) {
  Object.keys(link.feeds).forEach(function (name) {
    var feed = link.feeds[name];
    if (feed.passages) {
      return; // who crosses has an age of its own
    }
    if (freshnessOf(feed, link, monotonic(), WORDLESS).isTrusted) {
      delete noteMissing.kept[name];
      return;
    }
    var since = missingSince(feed, link);
    if (since) {
      noteMissing.kept[name] = Math.min(since, noteMissing.kept[name] || since);
    }
  });
}
noteMissing.kept = Object.create(null);

/* Epoch seconds, or null where it is not known. */
function missingSince(feed, link) {
  if (!link.isOpen && link.heardAt !== null) {
    return link.serverNow() - (monotonic() - link.heardAt);
  }
  if (feed.state === "live" || isUnsettled(feed)) {
    return null;
  }
  return feed.state === "silent" ? feed.measured_at : feed.since;
}
