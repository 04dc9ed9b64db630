/* Below a large gauge: today so far beside a typical day of the same weekday, as a wall draws it. */

function dayFigureInto(parent, item) {
  var figure = element("figure", "trend day", parent);
  var caption = element("figcaption", "caption", figure);
  var svg = svgElement("svg", { role: "img" });
  figure.appendChild(svg);
  figure.hidden = true;
  var drawn = "";

  function drawDayFigure(link, options) {
    var view = viewOf(item, link, options);
    var day = options.usual.dayOf(item.feed, view.now);
    var isKnown = Boolean(day && day.today && (day.today.length || day.typical.length));
    figure.hidden = !isKnown;
    figure.setAttribute("data-trusted", String(view.freshness.isTrusted));
    if (!isKnown) {
      return;
    }
    setText(caption, joined([say("dayTitle", { zone: placeOf(view.format.zone) }), typicalWords(day)]));
    var width = Math.max(260, figure.clientWidth || 600);
    var moment = Math.floor(view.now / 10);
    var wanted = JSON.stringify([day.as_of, day.typical.length, view.inside, moment, width, options.thresholds]);
    if (wanted === drawn) {
      return;
    }
    drawn = wanted;
    var frame = { width: width, height: svg.clientHeight || TREND_HEIGHT, format: view.format, locale: "en" };
    drawDay(svg, day, view, Object.assign(frame, { marks: thresholdMarks(item, options) }));
    svg.setAttribute("aria-label", dayWords(item, view, options));
  }
  return { draw: drawDayFigure };
}

function dayWords(item, view, options) {
  return [WORDS.curveOfToday, fullestWords(item, view), usualWords(item, view, options)].filter(Boolean).join(". ");
}

/* What a typical day is made of: it knows of no holidays. */
function typicalWords(day) {
  return hasCurve(day.typical) ? say("typicalTitle", { n: day.typical_days, weekday: day.weekday }) : "";
}
