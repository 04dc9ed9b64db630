/* Live gauges: a large one with its trend, and small ones as cards. Plain JavaScript, no framework.
 *
 * createLiveView(root, options) draws into root and returns {update(options), close()}. options:
 *   url         path of the relay's stream
 *   token       signed; names the feeds that may be seen
 *   locale      for numbers and dates; the browser's when empty
 *   thresholds  {filling, full} in percent of the capacity
 *   levels      level name -> {word, colour}
 *   scale       by which a trend is drawn larger than for a page at arm's length; 1 when not told
 *   withoutTrends  whether cards are too small for a line of their last hour
 *   items       [{feed, kind: "hero" | "card", title, subtitle, capacity, href, timezone}]
 *               capacity: null when it is not known; href: null where there is nothing to open
 */

var RELOAD_EVERY = 300; // seconds: an expired view reloads itself, but never in a loop

function createLiveView(root, options) {
  var link = null;
  var drawings = [];
  var frame = null;
  var isClosed = false;
  root.classList.add("headroom");

  function build() {
    root.textContent = "";
    drawings = options.items.map(function (item) {
      return item.kind === "hero" ? heroDrawing(item) : cardDrawing(item);
    });
    var cards = element("div", "cards");
    drawings.forEach(function (drawing) {
      (drawing.item.kind === "hero" ? root : cards).appendChild(drawing.node);
    });
    if (cards.firstChild) {
      root.appendChild(cards);
    }
    Object.keys(options.levels).forEach(function (name) {
      root.style.setProperty("--headroom-" + name, options.levels[name].colour);
    });
    measure();
  }

  function draw() {
    frame = null;
    drawings.forEach(function (drawing) {
      drawing.draw(link, options);
    });
    if (link.hasExpired) {
      reloadOnce();
    }
  }

  function drawSoon() {
    if (frame === null && !document.hidden) {
      frame = requestAnimationFrame(draw);
    }
  }

  function measure() {
    root.classList.toggle("narrow", root.clientWidth > 0 && root.clientWidth < 560);
    drawSoon();
  }

  function tick() {
    link.tick();
    drawSoon();
  }

  function shown() {
    if (!document.hidden) {
      link.tick();
      link.reconnectNow();
      draw();
    }
  }

  function open() {
    link = openRelayLink(options.url, options.token, { changed: drawSoon });
  }

  function listen(verb) {
    document[verb]("visibilitychange", shown);
    window[verb]("online", shown);
    window[verb]("resize", measure);
  }

  open();
  build();
  draw();
  listen("addEventListener");
  var timer = setInterval(tick, 1000);

  return {
    /* New options for the same root; the connection stays while its feeds stay. */
    update: function (fresh) {
      var before = options;
      options = fresh;
      if (feedNames(before) !== feedNames(fresh) || before.url !== fresh.url) {
        link.close();
        open();
      } else {
        link.renew(fresh.token);
      }
      if (JSON.stringify(before.items) !== JSON.stringify(fresh.items)) {
        build();
      }
      draw();
    },
    close: function () {
      if (isClosed) {
        return;
      }
      isClosed = true;
      clearInterval(timer);
      cancelAnimationFrame(frame);
      listen("removeEventListener");
      link.close();
      root.textContent = "";
    },
  };
}

function feedNames(options) {
  return options.items
    .map(function (item) {
      return item.feed;
    })
    .sort()
    .join("\n");
}

function reloadOnce() {
  var last = Number(sessionStorage.getItem("headroom-reloaded") || 0);
  if (Date.now() - last > RELOAD_EVERY * 1000) {
    sessionStorage.setItem("headroom-reloaded", String(Date.now()));
    location.reload();
  }
}
