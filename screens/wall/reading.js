/* What a view reads beside the stream, now and then. */

var READ_AGAIN = [30, 90]; // seconds after a reading that failed; drawn by lot
var READ_PATIENCE = 60; // seconds

/* Reads JSON of an address every so many seconds. `take` keeps it, and says whether it is what was asked for. */
function readingOf(url, every, take) {
  var due = 0;
  var hasFailed = false;

  function failed() {
    hasFailed = true;
    due = monotonic() + READ_AGAIN[0] + Math.random() * (READ_AGAIN[1] - READ_AGAIN[0]);
  }

  function read() {
    var control = new AbortController();
    var timer = setTimeout(function () {
      control.abort();
    }, READ_PATIENCE * 1000);
    fetch(url, { signal: control.signal, cache: "no-store" })
      .then(function (answer) {
        return answer.json();
      })
      .then(function (body) {
        if (body.error || !take(body)) {
          failed();
        } else {
          hasFailed = false;
        }
      })
      .catch(failed)
      .then(function () {
        clearTimeout(timer);
      });
  }

  return {
    hasFailed: function () {
      return hasFailed;
    },
    /* The next one comes within so many seconds. */
    within: function (seconds) {
      due = Math.min(due, monotonic() + seconds);
    },
    tick: function () {
      if (monotonic() >= due) {
        due = monotonic() + every * (1 + Math.random() / 10);
        read();
      }
    },
  };
}
