/* Starts the screen that this page was served for, and keeps it going for months. */

var ASK_AGAIN = 60; // seconds between two questions whether a link leads somewhere again
var TRIED = "headroom-screen-versions"; // in sessionStorage: versions for which this page was reloaded already
var DAY = { begins: 7, ends: 19 }; // hours of the light theme, where the clock decides
var NIGHT = { begins: 22, ends: 6 }; // hours in which the screen is dimmed
var SHIFT = 1.2; // percent of the screen by which the picture wanders about its middle
var SHIFT_STEP = 1.2; // radians a minute

function startScreen(root, config) {
  var locale = speak(config.language, config.words);
  var screen = { locale: locale, levels: screenLevels(config.levels || {}), timezone: zoneOf(config.views) };
  var hours = hoursReading(config.hours);
  var begun = monotonic();
  var frameRequest = null;
  var wantedVersion = null;
  var isRetired = false;
  var stood = 0; // ticks since all that a still shows is known
  root.className = "headroom";
  Object.keys(screen.levels).forEach(function (name) {
    root.style.setProperty("--headroom-" + name, screen.levels[name].colour);
  });

  var frame = frameInto(root);
  var drawings = config.views.map(function (view) {
    return viewDrawing(view, screen);
  });
  drawings.forEach(function (drawing) {
    frame.body.appendChild(drawing.node);
  });
  var rotation = rotationOf(drawings, renewWhenOutdated);
  var link = openRelayLink(config.stream, null, { changed: drawSoon, reported: reported, gone: retire });

  function draw() {
    frameRequest = null;
    if (isRetired) {
      return;
    }
    var current = rotation.current();
    noteMissing(link);
    dress(current);
    screen.closed = hours.closed();
    current.draw(link, rotation.shownFor()); // first: what goes wrong in it is shown in its place
    drawFrame(frame, current, link, screen);
  }

  function drawSoon() {
    if (frameRequest === null && !document.hidden) {
      frameRequest = requestAnimationFrame(draw);
    }
  }

  function tick() {
    link.tick();
    rotation.tick();
    hours.tick();
    drawings.forEach(function (drawing) {
      drawing.tick();
    });
    drawSoon();
    if (config.still) {
      standStill();
    }
  }

  /* A picture for the gallery keeps no stream: six would be all the connections that a browser has to a server. */
  function standStill() {
    stood += allAreKnown() ? 1 : 0;
    if (stood > 1) {
      draw();
      link.close();
      clearInterval(timer);
      setAttribute(document.documentElement, "data-still", "true");
    }
  }

  function allAreKnown() {
    return hours.isRead() && drawings.every(function (drawing) {
      var isKnown = drawing.shown().every(function (item) {
        return !isUnsettled(link.feeds[item.feed]);
      });
      return isKnown && drawing.isRead();
    });
  }

  function dress(current) {
    var now = link.serverNow();
    var minute = now === null || !current.timezone ? null : minuteOfDay(now, current.timezone);
    setAttribute(document.documentElement, "data-theme", themeAt(config.theme, minute));
    setAttribute(document.documentElement, "data-dim", String(!config.still && isNight(minute))); // nobody sleeps before a picture
    root.style.transform = shiftAt(Math.floor((monotonic() - begun) / 60));
  }

  function reported(kind, message) {
    if (kind === "state" && message.version) {
      wantedVersion = message.version === config.version ? null : message.version;
    }
    if (kind === "screen" && message.status === "revoked") {
      retire();
    } else if (kind === "screen" && message.status === "unsure") {
      retire(503); // whether it is still in use could not be learned for too long
    } else if (kind === "screen") {
      reloadWhenServed(function () {}, retire);
    }
  }

  /* Between two views, and once for each version: two servers of different versions make no loop. */
  function renewWhenOutdated() {
    var version = wantedVersion;
    if (version !== null && !wasTried(version)) {
      reloadWhenServed(function () {
        return remember(version);
      }, retire);
    }
  }

  /* The address leads nowhere any more: nothing of the place stays on the wall. Of a preview the page that the
   * server gives in its place says so. */
  function retire(status) {
    if (status === 410) {
      location.reload();
    }
    if (isRetired) {
      return;
    }
    isRetired = true;
    link.close();
    clearInterval(timer);
    root.textContent = "";
    element("p", "not-in-use", root).textContent = document.title =
      status === 503 ? WORDS.unavailable : WORDS.notInUse;
    setInterval(function () {
      reloadWhenServed(function () {}, function () {});
    }, ASK_AGAIN * 1000);
  }

  function shown() {
    if (!document.hidden && !isRetired) {
      keepAwake();
      link.tick();
      link.reconnectNow();
      drawSoon();
    }
  }

  document.addEventListener("visibilitychange", shown);
  window.addEventListener("online", shown);
  window.addEventListener("resize", drawSoon);
  var timer = setInterval(tick, 1000);
  keepAwake();
  hours.tick();
  draw();
}

/* Of the first view whose place is known; what is no place's own is told in its time. */
function zoneOf(views) {
  var known = views.filter(function (view) {
    return view.feeds && view.feeds.length;
  });
  return known.length ? knownZone(known[0].timezone) : "";
}

function screenLevels(levels) {
  var words = levelWords("level");
  var made = {};
  Object.keys(words).forEach(function (name) {
    made[name] = { word: words[name], colour: levels[name] ? levels[name].colour : "" };
  });
  return made;
}

/* A page that reloads while its server is away would show the browser's own error for ever, so ask first.
 * `before` may return false to stay. */
function reloadWhenServed(before, gone) {
  var control = new AbortController();
  setTimeout(function () {
    control.abort(); // or unanswered requests add up until the browser opens no connection any more
  }, (ASK_AGAIN * 1000) / 2);
  fetch(location.href, { signal: control.signal, cache: "no-store" })
    .then(function (answer) {
      // The link is unknown or was revoked, or the ticket of a preview has had its time.
      if (answer.status === 404 || answer.status === 410) {
        gone(answer.status);
      } else if (answer.ok && before() !== false) {
        location.reload();
      }
    })
    .catch(function () {}); // not reachable: the link goes on trying, and says so
}

function triedVersions() {
  return JSON.parse(sessionStorage.getItem(TRIED) || "[]");
}

/* A browser that keeps no memory cannot tell a loop, so it is taken to have tried. */
function wasTried(version) {
  try {
    return triedVersions().indexOf(version) >= 0;
  } catch (error) {
    return true;
  }
}

/* Whether the browser keeps it. */
function remember(version) {
  try {
    sessionStorage.setItem(TRIED, JSON.stringify(triedVersions().concat([version]).slice(-50)));
    return wasTried(version);
  } catch (error) {
    return false;
  }
}

/* Where the browser has a wake lock; others are set in the television's own menu. */
function keepAwake() {
  if (navigator.wakeLock && !document.hidden) {
    navigator.wakeLock.request("screen").catch(function () {}); // refused on low battery, or without HTTPS
  }
}

function setAttribute(node, name, value) {
  if (node.getAttribute(name) !== value) {
    node.setAttribute(name, value);
  }
}

/* Light or dark, by the time of day where the screen's place is: the server's time, since a television's own clock may
 * be years off. `minute` is null while the server's time is not known. */
function themeAt(theme, minute) {
  if (theme !== "clock") {
    return theme;
  }
  return minute !== null && minute >= DAY.begins * 60 && minute < DAY.ends * 60 ? "light" : "dark";
}

function isNight(minute) {
  return minute !== null && (minute >= NIGHT.begins * 60 || minute < NIGHT.ends * 60);
}

/* Where the picture stands in the minute `count`, as a CSS transform: no pixel shows the same for months. */
function shiftAt(count) {
  var along = (SHIFT * Math.cos(count * SHIFT_STEP)).toFixed(2);
  var down = (SHIFT * Math.sin(count * SHIFT_STEP)).toFixed(2);
  return "translate(" + along + "vw, " + down + "vh)";
}

startScreen(document.getElementById("wall"), JSON.parse(document.getElementById("screen").textContent));
