/* When a place is closed, by the opening hours that its dashboard keeps. */

/* Seconds between two readings: what is changed is told within five minutes, were one of them to fail meanwhile. */
var HOURS_EVERY = 180;

/* What was read last holds for as long as it reaches: two weeks. */
function hoursReading(url) {
  var closed = null;
  var reading = readingOf(url, HOURS_EVERY, function (body) {
    if (!Array.isArray(body.closed)) {
      return false;
    }
    closed = body.closed;
    return true;
  });

  return {
    /* [begin, end] of the closed time at `now`, the server's, in epoch seconds; an end of null is not known. */
    closedAt: function (now) {
      var found = (closed || []).filter(function (one) {
        return one[0] <= now && (one[1] === null || now < one[1]);
      });
      return now !== null && found.length ? found[0] : null;
    },
    isRead: function () {
      return closed !== null || reading.hasFailed();
    },
    tick: reading.tick,
  };
}

/* Whoever is told to come in, or told nothing, at a place that is closed is told that. Where as many are inside as fill
 * it, it is open whatever its hours say. */
function isToldClosed(view, closed) {
  return closed !== null && (view.level === "free" || view.level === "unknown");
}

function opensWords(view, closed) {
  return closed[1] === null ? "" : say("opens", { time: dayUnbroken(view.format.moment(closed[1])) });
}

/* A line may end between a day and its clock, and nowhere else. */
function dayUnbroken(moment) {
  return moment.replace(/ /g, "\u00a0").replace(/,\u00a0(?=[^,]*$)/, ", ");
}
