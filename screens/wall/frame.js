/* What surrounds every view: its title and the clock above, how far it can be trusted and its age below. */

function frameInto(root) {
  var head = element("header", "head", root);
  var title = element("h1", "heading", head);
  var heading = headingInto(title);
  var clock = element("p", "clock", head);
  var body = element("div", "body", root);
  var foot = element("footer", "foot", root);
  var state = freshnessInto(foot);
  var measured = element("p", "measured", foot);
  return { heading: heading, clock: clock, body: body, foot: foot, state: state, measured: measured };
}

/* `drawing` is the view that is shown; `link` tells the time and what is known of its feeds. */
function drawFrame(frame, drawing, link, options) {
  var now = link.serverNow();
  setText(frame.clock, now === null || !drawing.timezone ? "" : clockWords(drawing, options.locale, now));
  frame.heading(drawing.title()); // in the room that the clock leaves
  drawFoot(frame, footOf(drawing, link, Object.assign({ thresholds: drawing.thresholds }, options)));
}

/* A wall whose browser does not know the zone of its place must not pass for one whose clock is right. */
function clockWords(drawing, locale, now) {
  return formatFor(locale, drawing.timezone, now).time(now) + (drawing.unknownZone ? " UTC" : "");
}

/* A function that writes the heading: in smaller letters, then without some of its words, where its lines are not
 * enough. Its end, which often is the zone's name, stays. */
function headingInto(node) {
  var kept = "";

  function isWhole() {
    return node.scrollHeight <= node.clientHeight + 2 && node.scrollWidth <= node.clientWidth;
  }
  return function (text) {
    var wanted = node.clientWidth + " " + shorterSide() + " " + text;
    if (wanted === kept) {
      return;
    }
    kept = wanted;
    setText(node, text);
    for (var part = 1; part > NARROWEST; part -= 0.05) {
      node.style.setProperty("--narrow", part);
      if (isWhole()) {
        return;
      }
    }
    setText(node, shortenedTitle(text, 0, function (shorter) {
      setText(node, shorter);
      return isWhole();
    }, []));
  };
}

/* {freshness, measured: [text]} of the feeds that are in sight. `measured` is of the oldest that is trusted, and says
 * so; what stands later in it is left out first where there is no room. */
function footOf(drawing, link, options) {
  var shown = drawing.shown().map(function (item) {
    return { item: item, view: viewOf(item, link, options) };
  });
  if (!shown.length) {
    return { freshness: freshness("", "", [], false), measured: [] };
  }
  var least = leastTrusted(shown);
  var distrusted = shown.filter(function (one) {
    return !one.view.freshness.isTrusted;
  });
  if (shown.length === 1) {
    return { freshness: least.view.freshness, measured: measuredOf(measuredWords, least, drawing) };
  }
  var trusted = shown.filter(function (one) {
    return one.view.freshness.isTrusted;
  });
  var since = drawing.leavesSince() ? firstMissing(distrusted, link) : [];
  return {
    freshness: sharedFreshness(shown, distrusted, least.view.freshness, since),
    measured: trusted.length ? measuredOf(oldestWords, leastTrusted(trusted), drawing) : [],
  };
}

/* Of how many it is told, unless of all: each tells its own, but for `since` when numbers are missing. */
function sharedFreshness(shown, distrusted, least, since) {
  var alike = shown.filter(function (one) {
    return one.view.freshness.word === least.word;
  });
  var word = least.isTrusted ? least.word : WORDS.lightUnknown;
  var count = least.isTrusted ? alike.length : distrusted.length;
  var isOfAll = least.isTrusted && count === shown.length;
  var words = isOfAll ? word : say("partOf", { word: word, n: count, all: shown.length });
  return freshness(words, least.icon, since, least.isTrusted);
}

function oldestWords(item, view) {
  return view.age === null ? measuredWords(item, view) : say("oldest", timesOf(view));
}

/* The one that a reader should be warned of: untrusted before trusted, then the oldest. */
function leastTrusted(shown) {
  return shown.reduce(function (least, other) {
    return distrust(other.view) > distrust(least.view) ? other : least;
  });
}

function distrust(view) {
  return (view.freshness.isTrusted ? 0 : 1e12) + (view.age === null ? 1e9 : view.age);
}

/* With the zone of all times of the view. */
function measuredOf(wordsOf, one, drawing) {
  var words = wordsOf(one.item, one.view);
  if (drawing.unknownZone) {
    return [words + " · UTC", say("unknownZone", { zone: drawing.unknownZone })];
  }
  return one.view.age === null ? [words] : [words, say("localTime", { zone: placeOf(drawing.timezone) })];
}

/* One line, or two on a narrow screen: what there is no room for is left out, the least needed first. */
function drawFoot(frame, foot) {
  var details = foot.freshness.details.slice(0, 2);
  var measured = foot.measured.slice();
  frame.foot.setAttribute("data-trusted", String(foot.freshness.isTrusted));
  frame.state.icon.style.display = foot.freshness.icon ? "" : "none";
  setIcon(frame.state.icon, foot.freshness.icon);
  setText(frame.state.word, foot.freshness.word);
  do {
    setText(frame.state.details, joined(details));
    setText(frame.measured, joined(measured));
  } while (frame.foot.scrollWidth > frame.foot.clientWidth && leaveOut(measured, details));
}

/* Whether there was something left to leave out. */
function leaveOut(measured, details) {
  return (measured.length ? measured : details).pop() !== undefined;
}
