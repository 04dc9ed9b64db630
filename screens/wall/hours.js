/* The opening hours of the places of a screen, as its dashboard keeps them. */

/* Seconds between two readings: what is changed is told within five minutes, were one of them to fail meanwhile. */
var HOURS_EVERY = 180;

/* What was read last holds for as long as it reaches, two weeks, also of a site of which an answer tells nothing. */
function hoursReading(url) {
  var closed = null;
  var reading = readingOf(url, HOURS_EVERY, function (body) {
    closed = body.closed ? Object.assign(Object.create(null), closed, body.closed) : closed;
    return Boolean(body.closed);
  });

  return {
    /* As `toldClosed` takes it; null before the first reading. */
    closed: function () {
      return closed;
    },
    isRead: function () {
      return closed !== null || reading.hasFailed();
    },
    tick: reading.tick,
  };
}

/* Of a view that draws no level. */
function closedWords(view) {
  return view.level === "closed" ? joined([WORDS.closed, opensWords(view)]) : "";
}
