/* One feed drawn large with its trend, or small as a card. Plain JavaScript, no framework.
 *
 * draw(link, options) of a drawing is told the options of a page's live view, or those of a wall, which alone has
 *   scale          by which a trend is drawn larger than for a page at arm's length; 1 by default
 *   withoutTrends  whether cards have no line of their last hour: on a wall they are too small for it
 */

var TREND_HEIGHT = 190; // pixels
var SPARK_SPAN = 3600; // seconds
var SPARK_WIDTH = 220; // pixels of the view box; it is stretched to the card
var LEVEL_ICONS = { free: "check", filling: "exclaim", full: "bar", unknown: "question", closed: "wait" };
var NO_NUMBER = "–";
var NOTHING_OF_TODAY = {
  entrances_today: null,
  exits_today: null,
  today_since: null,
  counted_today: null,
  fullest_today: null,
};

/* What both kinds of drawing show of a feed at this moment. */
function viewOf(item, link, options) {
  var feed = link.feeds[item.feed];
  var now = link.serverNow();
  var format = formatFor(options.locale, item.timezone, now);
  var freshness = freshnessOf(feed, link, monotonic(), format);
  // Passers-by are not told why a number is spoilt, an outage is told in the place of it, and nobody waits for a recorded
  // one to mean something again: none of them is shown it.
  var isShown = !freshness.isSpoilt || (tellsReasons && freshness.isCurrent && !link.hidesSpoilt);
  var inside = isShown && feed && typeof feed.inside === "number" ? feed.inside : null;
  var share = freshness.isSpoilt ? null : shareOf(inside, item.capacity);
  var thresholds = item.thresholds || options.thresholds;
  var view = {
    feed: ofToday(feed, now),
    now: now,
    format: format,
    freshness: freshness,
    inside: inside,
    share: share,
    level: levelOf(share, thresholds, freshness.isTrusted),
    thresholds: thresholds,
    age: feed ? ageOf(feed, link) : null,
    zoneNote: format.unknownZone ? say("unknownZone", { zone: format.unknownZone }) : "",
  };
  return toldClosed(view, item, options);
}

/* A feed without what it told of a day that is over by now: while nothing comes, as in an outage, midnight passes. */
function ofToday(feed, now) {
  var isOver = feed && feed.today_until <= now && now !== null;
  return isOver ? Object.assign({}, feed, NOTHING_OF_TODAY) : feed;
}

/* The dial and, beside it, what hero and card say of the number alike. */
function factsInto(node, item, isLarge) {
  var dial = dialInto(node, isLarge);
  var facts = element("div", "facts", node);
  var level = levelInto(facts);
  var share = element("p", "share", facts);
  var places = element("p", "places", facts);
  var usual = element("p", "usual", facts);

  function drawFacts(view, options) {
    drawDial(dial, item, view, options);
    drawLevel(level, item, view, options);
    setText(share, shareWords(item, view));
    setText(places, placesWords(item, view));
    setText(usual, usualWords(item, view, options));
  }
  return { node: facts, draw: drawFacts };
}

function heroDrawing(item) {
  var node = element("section", "hero");
  node.setAttribute("aria-label", item.title);
  var facts = factsInto(node, item, true);
  var flows = element("p", "flows", facts.node);
  var state = freshnessInto(facts.node);
  var measured = element("p", "measured", facts.node);
  var trend = trendInto(node);

  function drawHero(link, options) {
    var view = viewOf(item, link, options);
    markUp(node, view);
    facts.draw(view, options);
    setText(flows, flowWords(view));
    drawFreshness(state, view);
    setText(measured, joined([measuredWords(item, view), view.zoneNote]));
    trend.draw(view, thresholdMarks(item, view), options, usualDay(item, view, options));
  }
  return { item: item, node: node, draw: drawHero };
}

function cardDrawing(item) {
  var node = element(item.href ? "a" : "div", "card");
  if (item.href) {
    node.href = item.href;
  }
  var title = element(item.heading || "h3", "title", node);
  title.textContent = item.title;
  title.title = item.whole_title || item.title;
  element("p", "subtitle", node).textContent = item.subtitle || "";
  var facts = factsInto(node, item, false);
  var spark = svgElement("svg", { class: "spark", preserveAspectRatio: "none", "aria-hidden": "true" });
  node.appendChild(spark);
  var sparkScale = element("p", "spark-scale", node);
  var state = freshnessInto(node);

  function drawCard(link, options) {
    var view = viewOf(item, link, options);
    markUp(node, view);
    facts.draw(view, options);
    drawFreshness(state, view, true, view.age === null ? "" : ageWords(view));
    if (view.now !== null && view.feed && !options.withoutTrends) {
      var bare = { width: SPARK_WIDTH, height: 36, span: SPARK_SPAN, now: view.now, isBare: true };
      bare.spoiltUntil = view.feed.spoilt_until;
      drawTrend(spark, view.feed.points, bare);
      setText(sparkScale, sparkWords(view));
    }
  }
  return { item: item, node: node, draw: drawCard };
}

function markUp(node, view) {
  node.setAttribute("data-level", view.level);
  node.setAttribute("data-state", view.feed && view.freshness.icon !== "cut" ? view.feed.state : "cut");
  node.setAttribute("data-freshness", view.freshness.icon);
  node.setAttribute("data-trusted", String(view.freshness.isTrusted));
}

/* In pixels, as the screen gives it room. Paper takes whatever height was drawn, so there is nothing to measure. */
function trendHeight(svg) {
  return (!window.matchMedia("print").matches && svg.clientHeight) || TREND_HEIGHT;
}

function trendInto(parent) {
  var figure = element("figure", "trend", parent);
  var caption = element("figcaption", "caption", figure);
  var svg = svgElement("svg", { role: "img" });
  figure.appendChild(svg);
  var empty = element("p", "empty", figure);
  var drawn = "";
  return {
    draw: function (view, marks, options, day) {
      var points = view.feed ? view.feed.points : [];
      var frame = trendFrame(view, day);
      var about = trendAbout(view, day, frame);
      setText(caption, joined([say("lastHours", { zone: placeOf(view.format.zone) })].concat(about)));
      var scale = options.scale || 1;
      var width = Math.max(260, (figure.clientWidth || 600) / scale);
      var height = Math.round(trendHeight(svg) / scale);
      // The line moves on by the minute; drawing it each second would only cost battery.
      var moment = Math.floor(view.now / 10);
      var none = isAnswered(view.feed) ? WORDS.noCounts : "";
      var parts = [points.length, points[points.length - 1], none, marks, width, height, moment, frame.usual.length, about];
      var wanted = JSON.stringify(parts);
      if (view.now === null || wanted === drawn) {
        return;
      }
      drawn = wanted;
      setText(empty, points.length ? "" : none);
      svg.style.visibility = points.length ? "" : "hidden"; // empty axes would lie behind the words
      svg.setAttribute("aria-label", points.length || none ? trendWords(points, view) : view.freshness.word);
      drawTrend(svg, points, Object.assign(frame, { width: width, height: height, marks: marks }));
    },
  };
}

/* As drawTrend takes it, without its size and marks. */
function trendFrame(view, day) {
  var usual = day ? usualLine(day, view.now, TREND_SPAN) : [];
  var frame = { span: TREND_SPAN, now: view.now, usual: usual, format: view.format, isBare: false };
  frame.spoiltUntil = view.feed && view.feed.spoilt_until;
  frame.closed = day ? closedSince(day, view.now - TREND_SPAN, view.now) : [];
  return frame;
}

/* As [from, to], of the day's closed time that lies between two moments. */
function closedSince(day, from, to) {
  return (day.closed || [])
    .map(function (span) {
      return [Math.max(span[0], from), Math.min(span[1], to)];
    })
    .filter(function (span) {
      return span[0] < span[1];
    });
}

/* What its dashes, its shade and its grey mean, each empty where there is none. */
function trendAbout(view, day, frame) {
  var isGrey = frame.spoiltUntil > view.now - TREND_SPAN;
  return [frame.usual.length ? say("typicalLine", day) : "", frame.closed.length ? WORDS.shaded : "", isGrey ? greyWords(view) : ""];
}

/* Whether the service ever said which value is its newest: before, nobody knows what was counted. */
function isAnswered(feed) {
  return Boolean(feed) && (typeof feed.inside === "number" || typeof feed.confirmed_age === "number");
}

function levelInto(parent) {
  var node = element("p", "level", parent);
  return { icon: iconInto(node), word: element("span", "word", node) };
}

/* A wall tells no level where there can be none: passers-by cannot set a capacity. */
function drawLevel(level, item, view, options) {
  var hasNone = !tellsReasons && !item.capacity && view.level !== "closed";
  level.icon.style.display = hasNone ? "none" : "";
  setIcon(level.icon, LEVEL_ICONS[view.level]);
  // Who never counted has no level that could be unknown.
  var hasNever = tellsReasons && view.freshness.word === WORDS.waiting;
  setText(level.word, hasNone ? WORDS.inside : hasNever ? WORDS.waiting : options.levels[view.level].word);
}

function freshnessInto(parent) {
  var node = element("p", "freshness", parent);
  return { icon: iconInto(node), word: element("strong", "word", node), details: element("span", "details", node) };
}

/* A card has room for since when and why; pointing at it shows the rest. Why a number is spoilt is a sentence; a wall
 * says it in a few words. */
function drawFreshness(state, view, isShort, whileAllIsWell) {
  var details = view.freshness.details;
  var most = !tellsReasons ? Number(!view.freshness.isTrusted) : view.freshness.word === WORDS.unreliable ? 0 : 2;
  var shown = joined(isShort ? details.slice(0, most) : details) || whileAllIsWell;
  setIcon(state.icon, view.freshness.icon);
  setText(state.word, view.freshness.word);
  setText(state.details, joined([shown, isShort && view.zoneNote]));
  if (isShort) {
    state.details.title = joined(details);
  }
}

/* Of a count that is not of now, its time. */
function ageWords(view) {
  var isOld = view.age > QUIET_AFTER;
  return isOld ? say("since", { time: view.format.moment(view.feed.measured_at) }) : view.format.ago(view.age);
}

function joined(parts) {
  return parts.filter(Boolean).join(" · ");
}
