/* The typical days of a page's feeds, and today so far of some of them, asked for beside the stream: a number
 * never waits for them. */

var USUAL_AGAIN = [3, 60]; // seconds until what is missing is asked for again: the first time, and at most
var TODAY_EVERY = 300; // seconds between two readings of today so far; newer minutes come with the stream
var USUAL_PATIENCE = 60; // seconds

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

  function read(address, asked, now) {
    var query = (control = new AbortController());
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
     * wanted, too}; `now` is the server's time, or null. */
    tick: function (url, token, asked, now) {
      if (now !== null && asked.feed.length && !control && monotonic() >= due) {
        due = Infinity;
        read(url + "?token=" + encodeURIComponent(token) + parameters("feed", asked) + parameters("today", asked), asked, now);
      }
    },
    /* Other feeds: they are asked for at once. */
    restart: function () {
      due = 0;
      pause = USUAL_AGAIN[0];
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
