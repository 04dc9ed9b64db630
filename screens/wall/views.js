/* One drawing for each view of a screen, and what is shown where a view cannot be. Of the kinds of views
 * (`screens/definition.py`), DRAWINGS has the function that draws each, TITLES the word that is the title of some. */

var LETTER_IN_CHART = 0.0029; // of the shorter side, for one unit of a chart, whose letters are 12 units high

/* {node, title(), timezone, shown(), leavesSince(), isRead(), seconds(), draw(link, shownFor), tick()} of a view. What goes wrong
 * in one view is shown in its place, is tried again, and stops no other. */
function viewDrawing(config, screen) {
  var node = element("div", "slot");
  var failure = failureInto(node);
  var options = {
    locale: screen.locale,
    thresholds: config.thresholds,
    levels: screen.levels,
    seconds: config.seconds,
    withoutTrends: true,
    scale: 1,
  };
  var items = (config.feeds || []).map(function (feed) {
    return Object.assign({}, feed, { timezone: knownZone(config.timezone) }); // one for all times of the view
  });
  var drawing = null;
  node.hidden = true;

  function attempt(work) {
    try {
      work();
      failure.node.hidden = true;
    } catch (error) {
      showFailure(error);
    }
    if (drawing) {
      drawing.node.hidden = !failure.node.hidden;
    }
  }

  function showFailure(error) {
    if (failure.node.hidden) {
      console.error(error);
    }
    failure.node.hidden = false;
    setIcon(failure.icon, "quiet");
    setText(failure.word, config.is_missing ? WORDS.lightUnknown : WORDS.failed);
  }

  function make() {
    if (config.is_missing) {
      throw new Error("The service does not tell of this view.");
    }
    if (!DRAWINGS[config.kind]) {
      throw new Error("“" + config.kind + "”?");
    }
    drawing = DRAWINGS[config.kind](Object.assign({}, config, { feeds: items }), options);
    node.appendChild(drawing.node);
  }

  attempt(make);
  return {
    node: node,
    title: function () {
      var page = drawing && drawing.page ? drawing.page() : "";
      return [config.title || WORDS[TITLES[config.kind]], page].filter(Boolean).join(" · ");
    },
    timezone: items.length ? knownZone(config.timezone) : screen.timezone,
    unknownZone: knownZone(config.timezone) === config.timezone ? "" : config.timezone,
    /* Those of its feeds that are in sight. */
    shown: function () {
      return drawing && drawing.shown ? drawing.shown() : items;
    },
    /* Whether it leaves it to the foot since when numbers of several feeds are missing. */
    leavesSince: function () {
      return Boolean(drawing && drawing.leavesSince && drawing.leavesSince());
    },
    /* Whether all that it reads beside the stream is there, or is known not to come soon. */
    isRead: function () {
      return !drawing || !drawing.isRead || drawing.isRead();
    },
    thresholds: config.thresholds,
    seconds: function () {
      return Math.max(config.seconds, drawing && drawing.wholeTurn ? drawing.wholeTurn() : 0);
    },
    draw: function (link, shownFor) {
      options.scale = shorterSide() * LETTER_IN_CHART;
      options.closed = screen.closed;
      attempt(function () {
        if (!drawing) {
          make();
        }
        drawing.draw(link, options, shownFor);
      });
    },
    tick: function () {
      if (drawing && drawing.tick) {
        drawing.tick();
      }
    },
  };
}

function failureInto(parent) {
  var node = element("section", "view failure", parent);
  var inner = element("div", "inner", node);
  node.hidden = true;
  return { node: node, icon: iconInto(inner), word: element("p", "word", inner) };
}

/* A zone that this browser knows: an old one may not know a new name. */
function knownZone(name) {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone && name;
  } catch (error) {
    return "Etc/UTC";
  }
}

/* Which view is shown and for how long already. Time is the monotonic clock's, in seconds. */

function rotationOf(drawings, turned) {
  var position = 0;
  var since = monotonic();

  function show() {
    drawings.forEach(function (drawing, other) {
      drawing.node.hidden = other !== position;
    });
  }

  show();
  return {
    current: function () {
      return drawings[position];
    },
    shownFor: function () {
      return monotonic() - since;
    },
    /* To be called about once a second. `turned` is told of each end of a turn, also of a single view. */
    tick: function () {
      if (monotonic() - since >= drawings[position].seconds()) {
        position = (position + 1) % drawings.length;
        since = monotonic();
        show();
        turned();
      }
    },
  };
}
