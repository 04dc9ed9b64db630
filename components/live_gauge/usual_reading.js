/* The typical days of a page's feeds, and today so far of some of them, asked for beside the stream: a number
 * never waits for them. */

var USUAL_AGAIN = [3, 60]; // seconds until what is missing is asked for again: the first time, and at most
var TODAY_EVERY = 300; // seconds between two readings of today so far; newer minutes come with the stream
var USUAL_PATIENCE = 60; // seconds
var CHANGED_AFTER = 10; // seconds between two readings of today at least, however often it changes

Object.assign(WORDS, {
  more: "{n} more than usual{when}",
  fewer: "{n} fewer than usual{when}",
  asUsual: "As many as usual{when}",
  atThisHour: " at this hour on a {weekday}",
  typicalLine: "dashed: a typical {weekday}",
  shaded: "shaded: closed",
});

/* changed() is called when there is more to compare with. */
function usualReading(changed) {
  var days = Object.create(null); // by the name of a feed, which is not ours
  var due = 0;
  var pause = USUAL_AGAIN[0];
  var control = null;
  var leaps = null; // when the numbers of today were set last, by feed, as far as the stream tells
  var since = 0; // server's time: what is known of today is to be of then, or later
  var readAt = -CHANGED_AFTER;

  function read(address, asked, now) {
    var query = (control = new AbortController());
    readAt = monotonic();
    var timer = setTimeout(function () {
      query.abort();
    }, USUAL_PATIENCE * 1000);
    fetch(address, { signal: query.signal, cache: "no-store" })
      .then(function (answer) {
        return answer.ok ? answer.json() : { feeds: {}, missing: 1 };
      })
      .then(function (body) {
        Object.keys(body.feeds).forEach(function (name) {
          take(name, body.feeds[name]);
        });
        due = monotonic() + (body.missing ? later() : untilNext(asked, now));
        changed();
      })
      .catch(function () {
        due = monotonic() + later();
      })
      .then(function () {
        clearTimeout(timer);
        control = control === query ? null : control;
      });
  }

  /* What an answer leaves out stays, as long as it is of the same day. */
  function take(name, reported) {
    var known = days[name] && days[name].until === reported.until ? days[name] : { typical: [], today: null };
    days[name] = Object.assign({}, known, reported);
  }

  function later() {
    var wait = pause * (0.75 + Math.random() / 2);
    pause = Math.min(USUAL_AGAIN[1], 2 * pause);
    return wait;
  }

  /* Somebody may have set a number by hand: today is asked for anew. What leapt before the page was opened may be
   * of any time in its minute. */
  function hear(asked, now, feeds) {
    var heard = asked.today.map(function (name) {
      return (feeds[name] && feeds[name].leapt_at) || 0;
    });
    if (leaps === null || heard.length !== leaps.length) {
      since = Math.max.apply(null, heard.concat(0)) + 60;
    } else if (String(heard) !== String(leaps)) {
      since = now;
      due = Math.min(due, readAt + CHANGED_AFTER);
    }
    leaps = heard;
  }

  /* Midnights of many screens are the same; so they ask spread over a minute. */
  function untilNext(asked, now) {
    pause = USUAL_AGAIN[0];
    var ends = asked.feed.map(function (name) {
      return days[name] ? days[name].until : now;
    });
    var wait = Math.max(Math.min.apply(null, ends) - now, 0) + 60 * Math.random();
    return asked.today.length ? Math.min(wait, TODAY_EVERY * (1 + Math.random() / 10)) : wait;
  }

  return {
    /* To be called about once a second. `asked` is {feed: names to be compared, today: those of which today is
     * wanted, too}; `now` is the server's time, or null; `feeds` are what the stream tells, by name. */
    tick: function (url, token, asked, now, feeds) {
      if (now === null || !asked.feed.length || control) {
        return;
      }
      hear(asked, now, feeds);
      if (monotonic() >= due) {
        due = Infinity;
        var wanted = parameters("feed", asked) + parameters("today", asked) + "&since=" + since;
        read(url + "?token=" + encodeURIComponent(token) + wanted, asked, now);
      }
    },
    /* Other feeds: they are asked for at once. With `now`, the server's time, all of today is to be of then. */
    restart: function (now) {
      due = 0;
      pause = USUAL_AGAIN[0];
      since = now || since;
    },
    dayOf: function (name, now) {
      var day = days[name];
      return day && now !== null && now < day.until ? day : null;
    },
    close: function () {
      if (control) {
        control.abort();
      }
      due = Infinity;
    },
  };
}

function parameters(name, asked) {
  return asked[name]
    .map(function (feed) {
      return "&" + name + "=" + encodeURIComponent(feed);
    })
    .join("");
}

/* What the items of a view need of typical days and of today. */
function askedDays(items) {
  var names = function (chosen) {
    return chosen.map(function (item) {
      return item.feed;
    });
  };
  var compared = items.filter(function (item) {
    return item.compares;
  });
  var whole = compared.filter(function (item) {
    return item.tells_today;
  });
  return { feed: names(compared), today: names(whole) };
}
