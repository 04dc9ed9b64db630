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
    return standing("This view has expired", "stop", ["reload the page"], false);
  }
  if (!link.isOpen && link.heardAt === null) {
    var trying = link.retryIn() === null ? [] : ["Headroom cannot be reached", retryWords(link.retryIn())];
    return standing("Connecting", "wait", trying, false);
  }
  if (!link.isOpen && at - link.lostAt > RETURN_LIMIT) {
    return cutOff(link, at, format);
  }
  if (!feed) {
    return standing("Connecting", "wait", [], false);
  }
  return (STANDINGS[feed.state] || unknownState)(feed, link, at, format);
}

function cutOff(link, at, format) {
  var since = "since " + format.time(link.serverNow() - (at - link.heardAt));
  return standing("No connection to Headroom", "cut", [since, retryWords(link.retryIn())], false);
}

function standing(word, icon, details, isTrusted) {
  return { word: word, icon: icon, details: details.filter(Boolean), isTrusted: isTrusted };
}

var STANDINGS = {
  connecting: function () {
    return standing("Connecting", "wait", [], false);
  },
  live: function (feed, link, at, format) {
    var confirmed = confirmedAge(feed, at);
    var age = ageOf(feed, link);
    if (feed.inside === null || age === null) {
      return standing("Waiting for a first count", "wait", troubles(feed, at, format), false);
    }
    if (confirmed === null || confirmed > CONFIRMED_LIMIT) {
      return standing("Late", "warn", ["not confirmed for " + format.span(confirmed || age)], false);
    }
    if (age > QUIET_AFTER) {
      var words = ["unchanged since " + format.time(feed.measured_at), "confirmed " + format.ago(confirmed)];
      return standing("Quiet", "quiet", words, true);
    }
    return standing("Live", "live", [], true);
  },
  polling: function (feed, link, at, format) {
    var confirmed = confirmedAge(feed, at);
    var isFresh = confirmed !== null && confirmed <= CONFIRMED_LIMIT && feed.inside !== null;
    var words = (isFresh ? ["confirmed " + format.ago(confirmed)] : []).concat(troubles(feed, at, format));
    return standing("Polling", isFresh ? "quiet" : "warn", words, isFresh);
  },
  late: function (feed, link, at, format) {
    return standing("Late", "warn", troubles(feed, at, format), false);
  },
  reconnecting: function (feed, link, at, format) {
    return standing("Reconnecting", "wait", troubles(feed, at, format), false);
  },
  offline: function (feed, link, at, format) {
    return standing("Offline", "cut", troubles(feed, at, format), false);
  },
  refused: function (feed, link, at, format) {
    return standing("Refused", "stop", troubles(feed, at, format), false);
  },
};

function unknownState(feed, link, at, format) {
  return standing(String(feed.state), "warn", troubles(feed, at, format), false);
}

/* Since when, why, what next, and the request id to quote. */
function troubles(feed, at, format) {
  var due = typeof feed.retry_in === "number" ? feed.retry_in - (at - feed.receivedAt) : null;
  var next = withoutStop(feed.next);
  return [
    feed.since ? "since " + format.time(feed.since) : "",
    withoutStop(feed.reason),
    next && due !== null && due > 0 ? next + " in " + format.span(due) : next,
    feed.request_id ? "request id " + feed.request_id : "",
  ];
}

/* A sentence as a part of a line. */
function withoutStop(text) {
  return (text || "").replace(/\.$/, "");
}

function retryWords(seconds) {
  return seconds === null || seconds < 1 ? "trying again" : "trying again in " + Math.round(seconds) + " s";
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
