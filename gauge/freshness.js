/* Freshness: how far a number can be trusted right now, in words. Pure, made of a feed, a link and the time. */

var CONFIRMED_LIMIT = 120; // seconds; the hub checks a silent stream every half minute
var RETURN_LIMIT = 4; // seconds: the relay ends each stream after an hour or two, and one returns at once
var QUIET_AFTER = 180; // seconds without a new minute before a value is said to be of then
var OLD_AFTER = 2 * 86400; // seconds after which no value means anything now, however seldom a place opens

/* {word, icon, details: [text], isCurrent, isTrusted, isSpoilt} of a feed. isTrusted: isCurrent, and not isSpoilt,
 * which a number is of now, or was when it was last known.
 *
 * icon is one of: live, quiet, silent, wait, warn, stop, cut. `at` is the monotonic clock in seconds.
 */
function freshnessOf(feed, link, at, format) {
  var found = connectionOf(feed, link, at, format);
  return feed && feed.drift ? spoilt(found, feed.drift, format) : found;
}

function connectionOf(feed, link, at, format) {
  if (link.hasExpired && link.isForeign) {
    return freshness(WORDS.foreign, "stop", [WORDS.foreignWhy, WORDS.reloadOrConnection], false);
  }
  if (link.hasExpired) {
    return freshness(WORDS.expired, "stop", [WORDS.reload], false);
  }
  if (!link.isOpen && link.heardAt === null) {
    var trying = link.retryIn() === null || !tellsReasons ? [] : [WORDS.unreachable, retryWords(link.retryIn())];
    return freshness(WORDS.connecting, "wait", trying, false);
  }
  if (!link.isOpen && at - link.lostAt > RETURN_LIMIT) {
    return cutOff(link, at, format);
  }
  if (!feed) {
    return freshness(WORDS.connecting, "wait", [], false);
  }
  var found = (FRESHNESS_BY_STATE[feed.state] || unknownState)(feed, link, at, format);
  if (found.isTrusted && ageOf(feed, link) > OLD_AFTER) {
    return freshness(found.word, found.icon, found.details, false);
  }
  return found;
}

/* Doors miscounted by too much for the number inside to mean anything. During an outage, that is told first. */
function spoilt(found, drift, format) {
  var values = { n: format.number(drift.people), time: format.moment(drift.at), since: format.moment(drift.since) };
  var reason = say(tellsReasons && drift.begun ? "driftOfCount" : "drift", values);
  var told = found.isCurrent
    ? { word: WORDS.unreliable, icon: "warn", details: [reason] }
    : { details: found.details.concat(WORDS.wasUnreliable, reason) };
  return Object.assign(found, told, { isTrusted: false, isSpoilt: true });
}

function cutOff(link, at, format) {
  var since = say("since", { time: format.moment(link.serverNow() - (at - link.heardAt)) });
  return freshness(WORDS.cutOff, "cut", [since, tellsReasons && retryWords(link.retryIn())], false);
}

function freshness(word, icon, details, isCurrent) {
  return { word: word, icon: icon, details: details.filter(Boolean), isCurrent: isCurrent, isTrusted: isCurrent };
}

var FRESHNESS_BY_STATE = {
  connecting: function () {
    return freshness(WORDS.connecting, "wait", [], false);
  },
  live: function (feed, link, at, format) {
    var confirmed = confirmedAge(feed, at);
    var age = ageOf(feed, link);
    if (feed.inside === null || age === null) {
      // Since when it never counted, nobody knows.
      var waiting = troubles(Object.assign({}, feed, { since: null }), at, format);
      return freshness(WORDS.waiting, "wait", waiting, false);
    }
    if (confirmed === null || confirmed > CONFIRMED_LIMIT) {
      return freshness(WORDS.late, "warn", [say("unconfirmed", { span: format.span(confirmed || age) })], false);
    }
    if (age > QUIET_AFTER) {
      var why = tellsReasons && withoutStop(feed.reason); // which may be a wrong clock, and no count late
      var words = [oldWords(feed, age, format), why, pastWords(feed), confirmedWords(confirmed, format)];
      return freshness(WORDS.quiet, "quiet", words, true);
    }
    return freshness(WORDS.live, "live", [], true);
  },
  polling: function (feed, link, at, format) {
    var confirmed = confirmedAge(feed, at);
    var isFresh = confirmed !== null && confirmed <= CONFIRMED_LIMIT && feed.inside !== null;
    var age = isFresh ? ageOf(feed, link) : 0;
    var past = age > QUIET_AFTER ? pastWords(feed) : "";
    var fresh = isFresh ? [oldWords(feed, age, format), past, confirmedWords(confirmed, format)] : [];
    var words = fresh.concat(troubles(feed, at, format));
    return freshness(WORDS.polling, isFresh ? "quiet" : "warn", words, isFresh);
  },
  /* The service stands by its value, but counts that usually come do not. */
  silent: function (feed, link, at, format) {
    var since = say("since", { time: format.moment(feed.measured_at) });
    return freshness(WORDS.silent, "silent", [since, usualGapWords(feed)], false);
  },
  /* So old a count may be a dead counter's: past days will tell, or nobody knows where they cannot be read. */
  uncertain: function (feed, link, at, format) {
    var confirmed = confirmedAge(feed, at);
    var words = [oldWords(feed, ageOf(feed, link), format), pastWords(feed)];
    words.push(confirmed !== null && confirmedWords(confirmed, format));
    if (isUnsettled(feed)) {
      return freshness(WORDS.checking, "wait", words, false);
    }
    words[0] = tellsReasons ? words[0] : say("since", { time: format.moment(feed.measured_at) }); // a tile is small
    return freshness(WORDS.uncertain, "warn", words, false);
  },
  late: function (feed, link, at, format) {
    return freshness(WORDS.late, "warn", troubles(feed, at, format), false);
  },
  /* Whether a try is on its way changes from moment to moment, and means nothing to passers-by. */
  reconnecting: function (feed, link, at, format) {
    if (!tellsReasons) {
      return FRESHNESS_BY_STATE.offline(feed, link, at, format);
    }
    return freshness(WORDS.reconnecting, "wait", troubles(feed, at, format), false);
  },
  offline: function (feed, link, at, format) {
    return freshness(WORDS.offline, "cut", troubles(feed, at, format), false);
  },
  refused: function (feed, link, at, format) {
    return freshness(WORDS.refused, "stop", troubles(feed, at, format), false);
  },
};

/* Whether it is only being found out how far a feed can be trusted. */
function isUnsettled(feed) {
  return !feed || feed.state === "connecting" || (feed.state === "uncertain" && !feed.past_unread);
}

function unknownState(feed, link, at, format) {
  return freshness(String(feed.state), "warn", troubles(feed, at, format), false);
}

/* Since when, why, what next, and where more of it is told. */
function troubles(feed, at, format) {
  var since = feed.since ? sinceWords(feed, feed.since, format) : "";
  if (!tellsReasons) {
    return [since];
  }
  var due = typeof feed.retry_in === "number" ? feed.retry_in - (at - feed.receivedAt) : null;
  var more = feed.is_summary && WORDS.moreOnConnection;
  var next = nextWords(feed, due !== null && due > 0 ? format.span(due) : "");
  return [since, withoutStop(feed.reason), next, more];
}

/* A trouble that was there before the first value came began nobody knows when. */
function sinceWords(feed, moment, format) {
  return say(typeof feed.confirmed_age === "number" ? "since" : "sinceOrBefore", { time: format.moment(moment) });
}

function nextWords(feed, span) {
  var next = withoutStop(feed.next);
  return next && span ? next + " in " + span : next;
}

/* Nothing while the newest minute is young. */
function oldWords(feed, age, format) {
  return age > QUIET_AFTER ? say("noNewCount", { time: format.moment(feed.measured_at) }) : "";
}

/* The state asserts that no count is missed, which only past days tell: a card has room for it, too. */
function pastWords(feed) {
  var words = feed.past_unread ? WORDS.pastUnread : feed.state === "uncertain" ? WORDS.pastAwaited : "";
  return tellsReasons ? words : "";
}

function usualGapWords(feed) {
  var minutes = Math.round(feed.usual_gap / 60);
  return minutes > 1 ? say("usualGap", { n: minutes }) : minutes > 0 ? WORDS.eachMinute : "";
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

/* Whether a number is of now, trusted or not; an old one is called the last that is known. */
function isCurrent(view) {
  return view.inside === null || view.freshness.isCurrent;
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
