/* How far a number can be trusted right now, in words. Pure: a feed, a link and the time give a standing. */

var CONFIRMED_LIMIT = 120; // seconds; the hub checks a silent stream every half minute
var RETURN_LIMIT = 4; // seconds: the relay ends each stream after an hour or two, and one returns at once
var QUIET_AFTER = 180; // seconds without a new minute before a live value is called quiet

/* {word, icon, details: [text], isTrusted} of a feed.
 *
 * icon is one of: live, quiet, wait, warn, stop, cut. `at` is the monotonic clock in seconds.
 */
function standingOf(feed, link, at, format) {
  if (link.hasExpired) {
    return standing(WORDS.expired, "stop", [WORDS.reload], false);
  }
  if (!link.isOpen && link.heardAt === null) {
    var trying = link.retryIn() === null ? [] : [WORDS.unreachable, retryWords(link.retryIn())];
    return standing(WORDS.connecting, "wait", trying, false);
  }
  if (!link.isOpen && at - link.lostAt > RETURN_LIMIT) {
    return cutOff(link, at, format);
  }
  if (!feed) {
    return standing(WORDS.connecting, "wait", [], false);
  }
  return (STANDINGS[feed.state] || unknownState)(feed, link, at, format);
}

function cutOff(link, at, format) {
  var since = say("since", { time: format.time(link.serverNow() - (at - link.heardAt)) });
  return standing(WORDS.cutOff, "cut", [since, retryWords(link.retryIn())], false);
}

function standing(word, icon, details, isTrusted) {
  return { word: word, icon: icon, details: details.filter(Boolean), isTrusted: isTrusted };
}

var STANDINGS = {
  connecting: function () {
    return standing(WORDS.connecting, "wait", [], false);
  },
  live: function (feed, link, at, format) {
    var confirmed = confirmedAge(feed, at);
    var age = ageOf(feed, link);
    if (feed.inside === null || age === null) {
      return standing(WORDS.waiting, "wait", troubles(feed, at, format), false);
    }
    if (confirmed === null || confirmed > CONFIRMED_LIMIT) {
      return standing(WORDS.late, "warn", [say("unconfirmed", { span: format.span(confirmed || age) })], false);
    }
    if (age > QUIET_AFTER) {
      var unchanged = say("unchanged", { time: format.time(feed.measured_at) });
      return standing(WORDS.quiet, "quiet", [unchanged, confirmedWords(confirmed, format)], true);
    }
    return standing(WORDS.live, "live", [], true);
  },
  polling: function (feed, link, at, format) {
    var confirmed = confirmedAge(feed, at);
    var isFresh = confirmed !== null && confirmed <= CONFIRMED_LIMIT && feed.inside !== null;
    var words = (isFresh ? [confirmedWords(confirmed, format)] : []).concat(troubles(feed, at, format));
    return standing(WORDS.polling, isFresh ? "quiet" : "warn", words, isFresh);
  },
  late: function (feed, link, at, format) {
    return standing(WORDS.late, "warn", troubles(feed, at, format), false);
  },
  reconnecting: function (feed, link, at, format) {
    return standing(WORDS.reconnecting, "wait", troubles(feed, at, format), false);
  },
  offline: function (feed, link, at, format) {
    return standing(WORDS.offline, "cut", troubles(feed, at, format), false);
  },
  refused: function (feed, link, at, format) {
    return standing(WORDS.refused, "stop", troubles(feed, at, format), false);
  },
};

function unknownState(feed, link, at, format) {
  return standing(String(feed.state), "warn", troubles(feed, at, format), false);
}

/* Since when, why, what next, and the request id to quote. */
function troubles(feed, at, format) {
  var due = typeof feed.retry_in === "number" ? feed.retry_in - (at - feed.receivedAt) : null;
  return [
    feed.since ? say("since", { time: format.time(feed.since) }) : "",
    speaksAsTheService ? withoutStop(feed.reason) : "",
    nextWords(feed, due !== null && due > 0 ? format.span(due) : ""),
    feed.request_id ? say("requestId", { id: feed.request_id }) : "",
  ];
}

/* The steps are the relay's sentences; in another language only that it is tried again, and when. */
function nextWords(feed, span) {
  var next = withoutStop(feed.next);
  if (speaksAsTheService) {
    return next && span ? next + " in " + span : next;
  }
  return span ? say("againIn", { span: span }) : "";
}

function confirmedWords(confirmed, format) {
  return say("confirmed", { ago: format.ago(confirmed) });
}

/* A sentence as a part of a line. */
function withoutStop(text) {
  return (text || "").replace(/\.$/, "");
}

function retryWords(seconds) {
  return seconds === null || seconds < 1 ? WORDS.again : say("againIn", { span: Math.round(seconds) + " s" });
}

/* Seconds since the service last stood by the value, or null. */
function confirmedAge(feed, at) {
  return typeof feed.confirmed_age === "number" ? feed.confirmed_age + (at - feed.receivedAt) : null;
}

/* Seconds since the minute began that was measured last, or null. */
function ageOf(feed, link) {
  var now = link.serverNow();
  return typeof feed.measured_at === "number" && now !== null ? Math.max(0, now - feed.measured_at) : null;
}

/* Free, filling, full, or unknown where there is no share or it cannot be stood by. */
function levelOf(share, thresholds, isTrusted) {
  if (share === null || !isTrusted) {
    return "unknown";
  }
  if (share >= thresholds.full) {
    return "full";
  }
  return share >= thresholds.filling ? "filling" : "free";
}

/* Percent of the capacity, or null where either is unknown. */
function shareOf(inside, capacity) {
  return typeof inside === "number" && capacity > 0 ? (100 * inside) / capacity : null;
}
