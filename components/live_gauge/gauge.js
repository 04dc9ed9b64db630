/* One feed drawn large with its trend, or small as a card. Plain JavaScript, no framework.
 *
 * draw(link, options) of a drawing is told the options of the live view, or of a screen's.
 */

var TREND_HEIGHT = 190; // pixels
var SPARK_SPAN = 3600; // seconds
var SPARK_WIDTH = 220; // pixels of the view box; it is stretched to the card
var ANNOUNCE_EVERY = 60; // seconds between two sentences read aloud
var LEVEL_ICONS = { free: "check", filling: "exclaim", full: "bar", unknown: "question" };
var NO_NUMBER = "–";

/* What both kinds of drawing show of a feed at this moment. */
function viewOf(item, link, options) {
  var feed = link.feeds[item.feed];
  var now = link.serverNow();
  var format = formatFor(options.locale, item.timezone, now);
  var standing = standingOf(feed, link, monotonic(), format);
  var inside = feed && typeof feed.inside === "number" ? feed.inside : null;
  var share = shareOf(inside, item.capacity);
  return {
    feed: feed,
    now: now,
    format: format,
    standing: standing,
    inside: inside,
    share: share,
    level: levelOf(share, options.thresholds, standing.isTrusted),
    age: feed ? ageOf(feed, link) : null,
    zoneNote: format.unknownZone ? say("unknownZone", { zone: format.unknownZone }) : "",
  };
}

function heroDrawing(item) {
  var node = element("section", "hero");
  node.setAttribute("aria-label", item.title);
  var dial = dialInto(node, true);
  var facts = element("div", "facts", node);
  var level = levelInto(facts);
  var share = element("p", "share", facts);
  var places = element("p", "places", facts);
  var flows = element("p", "flows", facts);
  var state = standingInto(facts);
  var measured = element("p", "measured", facts);
  var trend = trendInto(node);
  var speech = element("p", "speech", node);
  speech.setAttribute("aria-live", "polite");
  var spokenAt = -Infinity;

  function drawHero(link, options) {
    var view = viewOf(item, link, options);
    markUp(node, view);
    drawDial(dial, item, view, options);
    drawLevel(level, view, options);
    setText(share, shareWords(item, view));
    setText(places, placesWords(item, view));
    setText(flows, flowWords(view));
    drawStanding(state, view);
    setText(measured, joined([measuredWords(item, view), view.zoneNote]));
    trend.draw(view, thresholdMarks(item, options), options);
    if (monotonic() - spokenAt >= ANNOUNCE_EVERY && view.inside !== null) {
      spokenAt = monotonic();
      setText(speech, sentenceOf(item, view, options));
    }
  }
  return { item: item, node: node, draw: drawHero };
}

function cardDrawing(item) {
  var node = element(item.href ? "a" : "div", "card");
  if (item.href) {
    node.href = item.href;
  }
  var title = element("h3", "title", node);
  title.textContent = item.title;
  title.title = item.whole_title || item.title;
  element("p", "subtitle", node).textContent = item.subtitle || "";
  var dial = dialInto(node, false);
  var facts = element("div", "facts", node);
  var level = levelInto(facts);
  var share = element("p", "share", facts);
  var places = element("p", "places", facts);
  var spark = svgElement("svg", { class: "spark", preserveAspectRatio: "none", "aria-hidden": "true" });
  node.appendChild(spark);
  var state = standingInto(node);

  function drawCard(link, options) {
    var view = viewOf(item, link, options);
    markUp(node, view);
    drawDial(dial, item, view, options);
    drawLevel(level, view, options);
    setText(share, shareWords(item, view));
    setText(places, placesWords(item, view));
    drawStanding(state, view, true, view.age === null ? "" : view.format.ago(view.age));
    node.setAttribute("aria-label", sentenceOf(item, view, options));
    if (view.now !== null && view.feed && !options.withoutTrends) {
      var bare = { width: SPARK_WIDTH, height: 36, span: SPARK_SPAN, now: view.now, isBare: true };
      drawTrend(spark, view.feed.points, bare);
    }
  }
  return { item: item, node: node, draw: drawCard };
}

function markUp(node, view) {
  node.setAttribute("data-level", view.level);
  node.setAttribute("data-state", view.feed && view.standing.icon !== "cut" ? view.feed.state : "cut");
  node.setAttribute("data-trusted", String(view.standing.isTrusted));
}

function trendInto(parent) {
  var figure = element("figure", "trend", parent);
  var caption = element("figcaption", "caption", figure);
  var svg = svgElement("svg", { role: "img" });
  figure.appendChild(svg);
  var empty = element("p", "empty", figure);
  var drawn = "";
  return {
    draw: function (view, marks, options) {
      var points = view.feed ? view.feed.points : [];
      setText(caption, say("lastHours", { zone: view.format.zone }));
      var scale = options.scale || 1;
      var width = Math.max(260, (figure.clientWidth || 600) / scale);
      var height = Math.round((svg.clientHeight || TREND_HEIGHT) / scale);
      // The line moves on by the minute; drawing it each second would only cost battery.
      var moment = Math.floor(view.now / 10);
      var wanted = JSON.stringify([points.length, points[points.length - 1], marks, width, height, moment]);
      if (view.now === null || wanted === drawn) {
        return;
      }
      drawn = wanted;
      setText(empty, points.length ? "" : WORDS.noCounts);
      svg.setAttribute("aria-label", trendWords(points, view));
      var size = { width: width, height: height, span: TREND_SPAN, now: view.now };
      drawTrend(svg, points, Object.assign(size, { marks: marks, format: view.format, isBare: false }));
    },
  };
}

function levelInto(parent) {
  var node = element("p", "level", parent);
  return { icon: iconInto(node), word: element("span", "word", node) };
}

function drawLevel(level, view, options) {
  setIcon(level.icon, LEVEL_ICONS[view.level]);
  setText(level.word, options.levels[view.level].word);
}

function standingInto(parent) {
  var node = element("p", "standing", parent);
  return { icon: iconInto(node), word: element("strong", "word", node), details: element("span", "details", node) };
}

/* A card has room for since when and why; pointing at it shows the rest. */
function drawStanding(state, view, isShort, whileAllIsWell) {
  var details = view.standing.details;
  var shown = joined(isShort ? details.slice(0, 2) : details) || whileAllIsWell;
  setIcon(state.icon, view.standing.icon);
  setText(state.word, view.standing.word);
  setText(state.details, joined([shown, isShort && view.zoneNote]));
  if (isShort) {
    state.details.title = joined(details);
  }
}

function joined(parts) {
  return parts.filter(Boolean).join(" · ");
}
