/* One drawing for each view of a screen, and what is shown where a view cannot be. */

var LETTER_IN_CHART = 0.0029; // of the shorter side, for one unit of a chart, whose letters are 12 units high

var DRAWINGS = {
  number: numberDrawing,
  light: lightDrawing,
  gauge: gaugeDrawing,
  board: boardDrawing,
  curve: curveDrawing,
  sites: boardDrawing,
};

/* {node, title(), timezone, items, seconds(), draw(link, shownFor), tick()} of a view. What goes wrong in one view
 * is shown in its place, is tried again, and stops no other. */
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
    return Object.assign({}, feed, { timezone: knownZone(feed.timezone || config.timezone) });
  });
  var drawing = null;
  node.hidden = true;

  function attempt(work) {
    try {
      work();
      failure.node.hidden = true;
    } catch (error) {
      showFailure(failure, String(error.message || error), config.request_id);
    }
    if (drawing) {
      drawing.node.hidden = !failure.node.hidden;
    }
  }

  attempt(function () {
    if (config.error) {
      throw new Error(config.error);
    }
    if (!DRAWINGS[config.kind]) {
      throw new Error("“" + config.kind + "”?");
    }
    drawing = DRAWINGS[config.kind](Object.assign({}, config, { feeds: items }), options);
    node.appendChild(drawing.node);
  });
  return {
    node: node,
    title: function () {
      var page = drawing && drawing.page ? drawing.page() : "";
      return [config.title || (config.kind === "sites" ? WORDS.allSites : ""), page].filter(Boolean).join(" · ");
    },
    timezone: knownZone(config.timezone),
    items: items,
    thresholds: config.thresholds,
    seconds: function () {
      return Math.max(config.seconds, drawing && drawing.wholeTurn ? drawing.wholeTurn() : 0);
    },
    draw: function (link, shownFor) {
      options.scale = shorterSide() * LETTER_IN_CHART;
      if (drawing) {
        attempt(function () {
          drawing.draw(link, options, shownFor);
        });
      }
    },
    tick: function () {
      if (drawing && drawing.tick) {
        drawing.tick();
      }
    },
  };
}

function gaugeDrawing(config) {
  var hero = heroDrawing(config.feeds[0]);
  hero.node.classList.add("view");
  return { node: hero.node, draw: hero.draw };
}

function failureInto(parent) {
  var node = element("section", "view failure", parent);
  node.hidden = true;
  return {
    node: node,
    icon: iconInto(node),
    word: element("p", "word", node),
    reason: element("p", "reason", node),
    request: element("p", "request", node),
  };
}

function showFailure(failure, reason, requestId) {
  failure.node.hidden = false;
  setIcon(failure.icon, "warn");
  setText(failure.word, WORDS.failed);
  setText(failure.reason, reason);
  setText(failure.request, requestId ? say("requestId", { id: requestId }) : "");
}

/* A zone that this browser knows: an old one may not know a new name. */
function knownZone(name) {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone && name;
  } catch (error) {
    return "Etc/UTC";
  }
}
