/* One EventSource for all feeds of a view, and the clocks that tell how old each value is.
 *
 * Plain JavaScript for browsers from 2019 on (Chromium 76). Nothing here draws or knows the page.
 * Ages come from performance.now() and from what the server says its time is, never from the wall clock
 * of this machine: a television's clock may be years off. By that it only shows that the machine slept.
 */

var SILENCE_LIMIT = 30; // seconds; the relay sends a beat every 15
var FIRST_RETRY = 1; // seconds
var LONGEST_RETRY = 30; // seconds
var SETTLED_AFTER = 10; // seconds a connection must last before the next failure counts as the first
var TREND_SPAN = 2 * 3600; // seconds of points that are kept
var SLEEP_LIMIT = 30; // seconds by which the wall clock may outrun performance.now() before we say we slept

/* Seconds, with those in which the machine slept, as performance.now() may stand still meanwhile. A clock that is set
 * forward looks the same: until the server is heard, numbers are too old then, and none is too young. */
function monotonic() {
  var ticked = performance.now() / 1000;
  var wall = Date.now() / 1000;
  var missed = wall - monotonic.wall - (ticked - monotonic.ticked);
  monotonic.slept += missed > SLEEP_LIMIT ? missed : 0;
  monotonic.wall = wall;
  monotonic.ticked = ticked;
  return ticked + monotonic.slept;
}
monotonic.wall = Date.now() / 1000;
monotonic.ticked = performance.now() / 1000;
monotonic.slept = 0;

/* Opens the stream and keeps it open until close().
 *
 * `token` is null where the address itself says what may be seen. listener.changed() is called after anything
 * below changed. A listener may also have reported(kind, message), called with each event that carries something
 * beside feeds, and gone(status), called when the address is no more (404 or 410). link has
 *   feeds      name -> last known feed, as the relay sends it, with receivedAt (monotonic seconds)
 *   heardAt    monotonic seconds of the last byte, or null before the first
 *   isOpen     whether the relay can be heard
 *   lostAt     monotonic seconds at which it was heard no more, or null while it is
 *   hasExpired whether the relay refuses the token, so that only a new page helps
 *   isForeign  whether it does because the token was signed with another secret than that of the dashboard asked
 */
function openRelayLink(url, token, listener) {
  var source = null;
  var retryTimer = null;
  var query = null; // AbortController of the request that asks why there is no stream
  var attempts = 0;
  var openedAt = null;
  var slept = monotonic.slept;
  var isClosed = false;
  var isResting = false;
  var serverTime = null; // {now, at}: the server's clock when this machine's monotonic clock stood at `at`

  var link = { feeds: Object.create(null), heardAt: null, isOpen: false, lostAt: null, hasExpired: false, isForeign: false };

  link.serverNow = function () {
    return serverTime ? serverTime.now + (monotonic() - serverTime.at) : null;
  };

  /* Seconds until the next attempt is made, or null. */
  link.retryIn = function () {
    return retryTimer ? Math.max(0, retryTimer.due - monotonic()) : null;
  };

  link.renew = function (fresh) {
    token = fresh;
    if (link.hasExpired) {
      link.hasExpired = link.isForeign = false;
      connect();
    }
  };

  /* To be called about once a second: notices silence and a machine that slept. */
  link.tick = function () {
    var silence = monotonic() - heardOrOpened();
    if (source && (silence > SILENCE_LIMIT || monotonic.slept !== slept)) {
      lost();
    }
    slept = monotonic.slept;
  };

  link.reconnectNow = function () {
    if (!isClosed && !link.isOpen && !link.hasExpired && (retryTimer || isResting)) {
      connect();
    }
  };

  /* Let go of the connection until reconnectNow(): a browser has six to a server, for all its tabs. Nothing is
   * known of the present then, as before the first connection.
   */
  link.rest = function () {
    if (!isClosed && !isResting && !link.hasExpired) {
      isResting = true;
      clearRetry();
      drop();
      forget();
      link.isOpen = false;
      link.heardAt = link.lostAt = null;
    }
  };

  link.close = function () {
    isClosed = true;
    drop();
    forget();
    clearRetry();
  };

  function heardOrOpened() {
    return Math.max(link.heardAt === null ? 0 : link.heardAt, openedAt === null ? 0 : openedAt);
  }

  function address() {
    return token === null ? url : url + "?token=" + encodeURIComponent(token);
  }

  function connect() {
    clearRetry();
    drop();
    isResting = false;
    openedAt = monotonic();
    source = new EventSource(address());
    source.addEventListener("state", received(replaceAll));
    source.addEventListener("change", received(merge));
    source.addEventListener("beat", received(function () {}));
    source.addEventListener("screen", received(function () {}));
    source.onerror = lost;
  }

  function received(apply) {
    return function (event) {
      var message;
      try {
        message = JSON.parse(event.data);
      } catch (error) {
        return; // half a message says nothing; the next full state puts it right
      }
      link.heardAt = monotonic();
      link.isOpen = true;
      link.lostAt = null;
      if (typeof message.now === "number") {
        serverTime = { now: message.now, at: link.heardAt };
      }
      if (message.token) {
        token = message.token;
      }
      apply(message.feeds || {});
      if (listener.reported) {
        listener.reported(event.type, message);
      }
      listener.changed();
    };
  }

  function replaceAll(feeds) {
    link.feeds = Object.create(null); // its names are not ours: one may be `__proto__`
    merge(feeds);
  }

  function merge(feeds) {
    Object.keys(feeds).forEach(function (name) {
      var known = link.feeds[name];
      var feed = Object.assign({}, known, feeds[name], { receivedAt: monotonic() });
      feed.points = mergePoints(
        known ? known.points : [], feeds[name].points || [], link.serverNow(), feed.measured_at
      );
      if (feeds[name].passages) {
        // Only those that changed come.
        feed.passages = Object.assign(Object.create(null), known && known.passages, feeds[name].passages);
      }
      link.feeds[name] = feed;
    });
  }

  /* EventSource cannot tell a refused token from a server that is down, so a plain request asks. */
  function lost() {
    var hadOpened = link.isOpen;
    if (openedAt !== null && monotonic() - openedAt > SETTLED_AFTER && hadOpened) {
      attempts = 0;
    }
    drop();
    link.isOpen = false;
    link.lostAt = link.lostAt === null ? monotonic() : link.lostAt;
    retryLater();
    listener.changed();
    if (!hadOpened) {
      ask();
    }
  }

  function ask() {
    // A network that swallows everything answers no query, and a browser has six connections to a server:
    // unanswered ones must not add up, or no attempt gets through when the network is back.
    forget();
    var control = (query = new AbortController());
    fetch(address(), { signal: control.signal, cache: "no-store" })
      .then(function (answer) {
        control.abort();
        if ((answer.status === 404 || answer.status === 410) && listener.gone && !isClosed) {
          listener.gone(answer.status);
        } else if ((answer.status === 401 || answer.status === 403) && token !== null && !isClosed) {
          // Without a token it is a proxy that refuses, and may do so no more in a minute.
          link.hasExpired = true;
          link.isForeign = answer.headers.get("headroom-refusal") === "foreign";
          clearRetry();
          drop();
          listener.changed();
        }
      })
      .catch(function () {}); // not reachable: the retry that is already due goes on asking
  }

  function forget() {
    if (query) {
      query.abort();
      query = null;
    }
  }

  function retryLater() {
    if (isClosed) {
      return;
    }
    clearRetry();
    // Half of the wait is drawn by lot: screens that were cut off together come back spread out.
    var longest = Math.min(LONGEST_RETRY, FIRST_RETRY * Math.pow(2, attempts));
    var wait = longest * (0.5 + Math.random() / 2);
    attempts += 1;
    retryTimer = { due: monotonic() + wait, id: setTimeout(connect, wait * 1000) };
  }

  function clearRetry() {
    if (retryTimer) {
      clearTimeout(retryTimer.id);
      retryTimer = null;
    }
  }

  function drop() {
    if (source) {
      source.onerror = null;
      source.close();
      source = null;
    }
  }

  connect();
  return link;
}

/* Points by timestamp, ascending; a later one with the same timestamp replaces the earlier. */
function mergePoints(known, fresh, now, newest) {
  var byTime = {};
  known.concat(fresh).forEach(function (point) {
    byTime[point[0]] = point;
  });
  return Object.keys(byTime)
    .map(function (time) {
      return byTime[time];
    })
    .filter(function (point) {
      // What is later than the newest value has been taken back: it was dated in the future.
      return newest !== null && point[0] <= newest && (now === null || point[0] >= now - TREND_SPAN - 120);
    })
    .sort(function (one, other) {
      return one[0] - other[0];
    });
}
