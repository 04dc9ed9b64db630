/* What surrounds every view: its title and the clock above, how far it can be trusted and its age below. */

function frameInto(root) {
  var head = element("header", "head", root);
  var title = element("h1", "heading", head);
  var clock = element("p", "clock", head);
  var body = element("div", "body", root);
  var foot = element("footer", "foot", root);
  var state = standingInto(foot);
  var measured = element("p", "measured", foot);
  return { title: title, clock: clock, body: body, foot: foot, state: state, measured: measured };
}

/* `drawing` is the view that is shown; `link` tells the time and what is known of its feeds. */
function drawFrame(frame, drawing, link, options) {
  var now = link.serverNow();
  var format = formatFor(options.locale, drawing.timezone, now);
  var least = leastTrusted(drawing, link, Object.assign({ thresholds: drawing.thresholds }, options));
  setText(frame.title, drawing.title());
  setText(frame.clock, now === null ? "" : format.time(now));
  frame.foot.setAttribute("data-trusted", String(least.view.standing.isTrusted));
  drawStanding(frame.state, least.view, true);
  setText(frame.measured, measuredOnce(least, drawing));
}

/* Of the feeds of a view the one that a reader should be warned of: untrusted before trusted, then oldest. */
function leastTrusted(drawing, link, options) {
  var shown = drawing.items.map(function (item) {
    return { item: item, view: viewOf(item, link, options) };
  });
  if (!shown.length) {
    var nothing = { feed: "", title: "", timezone: drawing.timezone, capacity: null };
    return { item: nothing, view: viewOf(nothing, link, options) };
  }
  return shown.reduce(function (least, other) {
    return distrust(other.view) > distrust(least.view) ? other : least;
  });
}

function distrust(view) {
  return (view.standing.isTrusted ? 0 : 1e12) + (view.age === null ? 1e9 : view.age);
}

/* With the zone of all times of the view; where several feeds are shown, of which one is spoken. */
function measuredOnce(least, drawing) {
  var parts = [measuredWords(least.item, least.view)];
  if (least.view.age !== null) {
    parts.push(drawing.timezone);
  }
  if (drawing.items.length > 1 && !least.view.standing.isTrusted) {
    parts.unshift(least.item.title);
  }
  return parts.join(" · ");
}
