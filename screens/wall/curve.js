/* Today's curve so far against that of a typical day of the same weekday. */

var DAY_EVERY = 300; // seconds between two readings of the day
var DAY_WHILE_READ = 15; // seconds, while the server reads when it is quieter
var OLD_DAY = 900; // seconds after which the reading's age is told

function curveDrawing(config) {
  var node = element("section", "view curve-view");
  var item = config.feeds[0];
  var answer = element("p", "answer", node);
  var number = element("span", "number", answer);
  var comparison = element("span", "comparison", answer);
  var svg = svgElement("svg", { class: "chart" });
  node.appendChild(svg);
  var empty = element("p", "empty", node);
  var note = element("p", "note", node);
  var reading = dayReading(config.day);
  var drawn = "";

  return {
    node: node,
    tick: reading.tick,
    isRead: reading.isRead,
    draw: function (link, options) {
      var view = viewOf(item, link, options);
      var day = reading.day(view.now);
      var counted = view;
      if (day && view.freshness.isSpoilt) {
        // The curve of today tells the same number.
        day = Object.assign({}, day, { today: [] });
        counted = {};
      }
      markUp(node, view);
      drawNumber(number, view);
      setText(comparison, closedWords(view) || missingWords(item, link, view).join(", ") || comparisonWords(view, day));
      var isEmpty = Boolean(day) && !day.typical.length && !curveOfToday(day, counted.feed ? counted.feed.points : []).length;
      svg.style.visibility = day ? "" : "hidden"; // what is drawn may be another day's
      svg.style.display = isEmpty ? "none" : ""; // axes without a curve look like a broken picture
      setText(empty, isEmpty && !view.freshness.isSpoilt ? WORDS.noCurve : "");
      setText(note, isEmpty ? "" : noteWords(reading.hasFailed(), day, view));
      var size = { width: svg.clientWidth / options.scale, height: svg.clientHeight / options.scale };
      var moment = view.now === null ? null : Math.floor(view.now / 10);
      var known = day && [day.as_of, day.closed];
      var wanted = JSON.stringify([known, view.inside, moment, size, view.freshness.isTrusted, view.freshness.isSpoilt]);
      if (day && view.now !== null && size.width > 0 && wanted !== drawn) {
        drawn = wanted;
        var frame = { marks: thresholdMarks(item, view), format: view.format, locale: options.locale };
        drawDay(svg, day, counted, Object.assign(frame, size));
        svg.setAttribute("role", "img");
        svg.setAttribute("aria-label", sentenceOf(item, view, options) + ". " + comparison.textContent);
      }
    },
  };
}

/* What was read last stays until there is something newer, or the day is over, or is none yet: a clock was set back. */
function dayReading(url) {
  var day = null;
  var reading = readingOf(url, DAY_EVERY, function (body) {
    if (!body.today) {
      return false;
    }
    day = body;
    if (body.is_quieter_read) {
      reading.within(DAY_WHILE_READ);
    }
    return true;
  });

  return {
    isRead: function () {
      return day !== null || reading.hasFailed();
    },
    /* `now` is the server's time; null: not heard yet. */
    day: function (now) {
      if (day && now !== null && (now >= day.until || now < day.day_start)) {
        day = null;
        reading.within(READ_AGAIN[0] * Math.random());
      }
      return day;
    },
    hasFailed: reading.hasFailed,
    tick: reading.tick,
  };
}

function noteWords(hasFailed, day, view) {
  if (hasFailed && (!day || view.now - day.as_of > OLD_DAY)) {
    return joined([WORDS.curveMissing, day && say("curveAsOf", { time: view.format.moment(day.as_of) })]);
  }
  if (!day) {
    return WORDS.curveLoading;
  }
  return day.typical.length ? quieterWords(day, view) : WORDS.noTypical;
}
