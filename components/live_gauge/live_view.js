/* Live gauges: a large one with its trend, and small ones as cards. Plain JavaScript, no framework.
 *
 * createLiveView(root, options, arrange, openLink) draws into root and returns {update(options), close()}.
 * arrange(root, options) puts what is drawn into root and returns [{draw(link, options), close()}], close where
 * something moves by itself; gauges by default. openLink(options, listener) opens where the values come from, a
 * link as that of the relay, which is the default. options:
 *   url         path of the relay's stream
 *   usual_url   where typical days are asked for
 *   token       signed; names the feeds that may be seen
 *   locale      for numbers and dates; the browser's when empty
 *   thresholds  {filling, full} in percent of the capacity, of items that have none
 *   levels      level name -> {word, colour}
 *   items       [{feed, kind: "hero" | "card", title, whole_title, subtitle, timezone, capacity, href, compares,
 *               tells_today, thresholds, leads}]
 *               whole_title: what is told on demand where title is cut; empty where it is not;
 *               capacity: null when it is not known; href: null where there is nothing to open;
 *               compares: whether the number is compared with what is usual at this hour;
 *               tells_today: whether it says when the day was fullest and how long people stay;
 *               thresholds: its own, or null;
 *               leads: [{at, label, href}], of a large one: what leads to more of the fact of that class
 *   closed      site -> when it is closed, as toldClosed takes it
 *   ranked      such items too: zones of the view, to be ranked by today's entrances
 *   graph       how the zones of a site lie, for site_page.js
 *   tell        tell(name, value) tells the page what somebody chose within
 */

var RELOAD_AFTER = 300; // seconds: an expired view reloads itself, but never in a loop
var REST_AFTER = 10; // seconds in a tab that nobody looks at, after which it keeps no connection

function createLiveView(root, options, arrange, openLink) {
  var link = null;
  var token = options.token;
  var usual = usualReading(drawSoon);
  var drawings = [];
  var frame = null;
  var isClosed = false;
  var openedAt = monotonic();
  var hiddenAt = document.hidden ? -REST_AFTER : null; // monotonic seconds; opened in the background, it waits
  root.classList.add("headroom");

  /* What moves by itself, and not with a draw. */
  function still() {
    drawings.forEach(function (drawing) {
      if (drawing.close) {
        drawing.close();
      }
    });
  }

  function build() {
    var opened = focused(root, "href");
    var again = focused(root, "data-again");
    still();
    root.textContent = "";
    drawings = (arrange || arrangeGauges)(root, options);
    Object.keys(options.levels).forEach(function (name) {
      root.style.setProperty("--headroom-" + name, options.levels[name].colour);
    });
    measure();
    focusLink(opened);
    focusAgain(root, again);
  }

  /* Cards that come in another order must not lose who walks through them by keyboard. */
  function focusLink(href) {
    drawings.forEach(function (drawing) {
      if (href && drawing.item && drawing.item.href === href) {
        drawing.node.focus({ preventScroll: true });
      }
    });
  }

  function draw() {
    frame = null;
    var drawn = Object.assign({ usual: usual }, options);
    drawings.forEach(function (drawing) {
      drawing.draw(link, drawn);
    });
    if (link.hasExpired && monotonic() - openedAt > RELOAD_AFTER) {
      location.reload();
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
    if (document.hidden && monotonic() - hiddenAt >= REST_AFTER) {
      link.rest();
      return;
    }
    usual.tick(options.usual_url, token, askedDays(options.items), link.serverNow(), link.feeds);
    drawSoon();
  }

  function shown() {
    if (document.hidden) {
      hiddenAt = hiddenAt === null ? monotonic() : hiddenAt;
    } else {
      hiddenAt = null;
      link.tick();
      link.reconnectNow();
      draw();
    }
  }

  function heard(kind, message) {
    token = message.token || token;
  }

  function open() {
    var listener = { changed: drawSoon, reported: heard };
    link = openLink ? openLink(options, listener) : openRelayLink(options.url, options.token, listener);
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
      token = fresh.token;
      if (JSON.stringify(askedDays(before.items)) !== JSON.stringify(askedDays(fresh.items))) {
        usual.restart();
      } else if (before.changes !== fresh.changes) {
        usual.restart(link.serverNow());
      }
      if (feedNames(before) !== feedNames(fresh) || before.url !== fresh.url) {
        link.close();
        open();
      } else {
        link.renew(fresh.token);
      }
      if (contents(before) !== contents(fresh)) {
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
      still();
      listen("removeEventListener");
      link.close();
      usual.close();
      root.textContent = "";
    },
  };
}

/* That attribute of what is in focus within `root`; null where nothing is, or has none. */
function focused(root, attribute) {
  var node = root.getRootNode().activeElement;
  return node && root.contains(node) ? node.getAttribute(attribute) : null;
}

/* What was pressed and is drawn anew by that is in focus again. `name` is its data-again. */
function focusAgain(root, name) {
  var same = name && root.querySelector('[data-again="' + name + '"]');
  if (same) {
    same.focus({ preventScroll: true });
  }
}

function arrangeGauges(root, options) {
  var cards = element("div", "cards");
  var drawings = options.items.map(function (item) {
    var drawing = item.kind === "hero" ? heroDrawing(item) : cardDrawing(item);
    (item.kind === "hero" ? root : cards).appendChild(drawing.node);
    return drawing;
  });
  if (cards.firstChild) {
    root.appendChild(cards);
  }
  return drawings;
}

function contents(options) {
  return JSON.stringify([options.items, options.ranked, options.graph]);
}

function feedNames(options) {
  return options.items
    .map(function (item) {
      return item.feed;
    })
    .concat((options.graph && options.graph.crossings) || [])
    .sort()
    .join("\n");
}

/* What the tab keeps from one page to the next under this name; null where there is none. A browser may keep
 * nothing, which stops no page. */
function keptText(name) {
  try {
    return sessionStorage.getItem(name);
  } catch (error) {
    return null;
  }
}

/* Keeps the text under this name, where the browser does. */
function keepText(name, text) {
  try {
    sessionStorage.setItem(name, text);
  } catch (error) {
    // As if nothing had been kept.
  }
}
