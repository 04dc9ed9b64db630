/* Today beside a number: when it was fullest, how long people stay, how much is counted, who had not left when the count began, and why
 * nothing is usual; below a large gauge the day so far beside a typical one of the same weekday, as a wall draws it. */

function todayFactsInto(parent, before, item) {
  var lines = ["fullest", "time-inside", "counted", "left-over", "no-usual"].map(function (kind) {
    return parent.insertBefore(element("p", "fact " + kind), before);
  });
  return {
    draw: function (link, options) {
      var view = viewOf(item, link, options);
      var day = usualDay(item, view, options);
      setText(lines[0], fullestWords(item, view));
      setText(lines[1], timeInsideWords(day, view));
      setText(lines[2], minutesWords(view, "minutesOfToday"));
      setText(lines[3], leftOverWords(view));
      setText(lines[4], noUsualWords(day));
    },
  };
}

/* Empty where nobody was inside today, where drift spoils the number, and where the day is over meanwhile. */
function fullestWords(item, view) {
  var most = view.feed && view.feed.fullest_today;
  if (!most || view.freshness.isSpoilt || view.format.moment(most.at) !== view.format.time(most.at)) {
    return "";
  }
  var share = shareOf(most.inside, item.capacity);
  var number = view.format.number(most.inside) + (share === null ? "" : " (" + percentWords(share, view.format) + ")");
  var values = { n: number, time: view.format.time(most.at), since: most.since && view.format.time(most.since) };
  return say(most.since ? "fullestSince" : "fullest", values);
}

/* Made from the number inside, so that drift spoils it, too. */
function timeInsideWords(day, view) {
  var isKnown = day && typeof day.time_inside === "number" && !view.freshness.isSpoilt;
  return isKnown ? say("timeInside", { span: spanWords(day.time_inside) }) : "";
}

/* Of a place where many are left over day by day, the number inside is too high, but by how much nobody knows. */
function leftOverWords(view) {
  var left = view.feed && view.feed.left_over;
  if (!left || view.freshness.isSpoilt) {
    return "";
  }
  return say("leftOver", { n: view.format.number(left.people), time: view.format.moment(left.at) });
}

function noUsualWords(day) {
  if (!day || day.typical.length || typeof day.typical_days !== "number") {
    return "";
  }
  var all = day.typical_days + day.spoilt_days;
  var why = !day.spoilt_days ? "noUsual" : day.spoilt_days < all ? "noUsualForDrift" : "noUsualForDrifts";
  return say(why, { weekday: day.weekday, n: day.spoilt_days, all: all });
}

function dayFigureInto(parent, item) {
  var figure = element("figure", "trend day", parent);
  var caption = element("figcaption", "caption", figure);
  var svg = svgElement("svg", { role: "img" });
  figure.appendChild(svg);
  var list = element("ol", "day-notes", figure);
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
    var known = [day.as_of, day.typical.length, day.closed, day.notes];
    var wanted = JSON.stringify([known, view.inside, moment, width, options.thresholds]);
    if (wanted === drawn) {
      return;
    }
    drawn = wanted;
    var frame = { width: width, height: trendHeight(svg), format: view.format, locale: "en" };
    frame.noteLabel = noteNumber;
    drawDay(svg, day, view, Object.assign(frame, { marks: thresholdMarks(item, options) }));
    listNotes(list, day, view);
    svg.setAttribute("aria-label", dayWords(item, view, options));
  }
  return { draw: drawDayFigure };
}

/* Where words would be a curtain, a note on a curve has its number in the list below. */
function noteNumber(_text, number) {
  return String(number);
}

/* As numbered on the curve. */
function listNotes(list, day, view) {
  var notes = day.notes || [];
  list.setAttribute("aria-label", WORDS.notesToday);
  list.hidden = !notes.length;
  list.textContent = "";
  notes.forEach(function (note) {
    element("li", "", list).textContent = view.format.time(note[0]) + ": " + note[1];
  });
}

function dayWords(item, view, options) {
  return [WORDS.curveOfToday, fullestWords(item, view), usualWords(item, view, options)].filter(Boolean).join(". ");
}

/* What a typical day is made of: it knows of no holidays. */
function typicalWords(day) {
  return hasCurve(day.typical) ? say("typicalTitle", { n: day.typical_days, weekday: day.weekday }) : "";
}
