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

/* Empty where nobody was inside today, and where drift spoils the number. */
function fullestWords(item, view) {
  var most = view.feed && view.feed.fullest_today;
  if (!most || view.freshness.isSpoilt) {
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
  var last = null;
  var bar = svgPictureBar(figure, function () {
    return last && dayPicture(item, last.link, last.options);
  });
  bar.name(pictureTitle(item, WORDS.curveOfToday));

  function drawDayFigure(link, options) {
    var view = viewOf(item, link, options);
    var day = options.usual.dayOf(item.feed, view.now);
    var isKnown = Boolean(day && day.today && (day.today.length || day.typical.length));
    figure.hidden = !isKnown;
    figure.setAttribute("data-trusted", String(view.freshness.isTrusted));
    if (!isKnown) {
      return;
    }
    last = { link: link, options: options };
    setText(caption, joined([say("dayTitle", { zone: placeOf(view.format.zone) }), typicalWords(day)]));
    var width = Math.max(260, figure.clientWidth || 600);
    var moment = Math.floor(view.now / 10);
    var known = [day.as_of, day.typical.length, day.closed, day.notes];
    var wanted = JSON.stringify([known, view.inside, moment, width, options.thresholds]);
    if (wanted === drawn) {
      return;
    }
    drawn = wanted;
    drawDay(svg, day, view, dayFrame(item, view, options, { width: width, height: trendHeight(svg) }));
    listNotes(list, day, view);
    svg.setAttribute("aria-label", dayWords(item, view, options));
  }
  return { draw: drawDayFigure };
}

function dayFrame(item, view, options, size) {
  var words = { format: view.format, locale: "en", noteLabel: noteNumber };
  return Object.assign(words, size, { marks: thresholdMarks(item, options) });
}

/* As svgPictureBar takes it. */
function dayPicture(item, link, options) {
  var view = viewOf(item, link, options);
  var day = options.usual.dayOf(item.feed, view.now);
  var head = day && pictureHead(item, WORDS.curveOfToday, link, options);
  return (
    head &&
    Object.assign(head, {
      words: head.words.concat(joined([fullestWords(item, view), typicalWords(day)]) || []),
      width: PICTURED.width,
      draw: function (stage) {
        var figure = element("figure", "trend day", stage);
        figure.setAttribute("data-trusted", String(view.freshness.isTrusted));
        var svg = figure.appendChild(svgElement("svg", {}));
        drawDay(svg, day, view, dayFrame(item, view, options, PICTURED));
        return svg;
      },
      below: function () {
        return notesBelow(day, view);
      },
    })
  );
}

/* Where words would be a curtain, a note on a curve has its number in the list below. */
function noteNumber(_text, number) {
  return String(number);
}

/* Of a picture: its notes as numbered on the curve, below a heading. */
function notesBelow(day, view) {
  var lines = noteLines(day, view).map(function (line, position) {
    return noteNumber(line, position + 1) + ". " + line;
  });
  return lines.length ? [WORDS.notesToday + ":"].concat(lines) : [];
}

function noteLines(day, view) {
  return (day.notes || []).map(function (note) {
    return view.format.time(note[0]) + ": " + note[1];
  });
}

/* As numbered on the curve. */
function listNotes(list, day, view) {
  var lines = noteLines(day, view);
  list.setAttribute("aria-label", WORDS.notesToday);
  list.hidden = !lines.length;
  list.textContent = "";
  lines.forEach(function (line) {
    element("li", "", list).textContent = line;
  });
}

function dayWords(item, view, options) {
  return [WORDS.curveOfToday, fullestWords(item, view), usualWords(item, view, options)].filter(Boolean).join(". ");
}

/* What a typical day is made of: it knows of no holidays. */
function typicalWords(day) {
  return hasCurve(day.typical) ? say("typicalTitle", { n: day.typical_days, weekday: day.weekday }) : "";
}
