/* Today's curve so far against that of a typical day of the same weekday. */

var DAY_EVERY = 300; // seconds between two readings of the day
var DAY_AGAIN = [30, 90]; // seconds after one that failed; drawn by lot
var DAY_PATIENCE = 60; // seconds
var STEP = 300; // seconds of a step of the curve that is read; minutes that follow come with the stream
var AS_USUAL = 0.03; // part of the usual by which a count may differ and still be called so
var OLD_DAY = 900; // seconds after which the reading's age is told

function curveDrawing(config) {
  var node = element("section", "view curve-view");
  var item = config.feeds[0];
  var answer = element("p", "answer", node);
  var number = element("span", "number", answer);
  var comparison = element("span", "comparison", answer);
  var svg = svgElement("svg", { class: "chart", role: "img" });
  node.appendChild(svg);
  var note = element("p", "note", node);
  var reading = dayReading(config.day);
  var drawn = "";

  return {
    node: node,
    tick: reading.tick,
    draw: function (link, options) {
      var view = viewOf(item, link, options);
      var day = reading.day();
      markUp(node, view);
      drawNumber(number, view);
      setText(comparison, comparisonWords(view, day));
      setText(note, noteWords(reading, view));
      var size = { width: svg.clientWidth / options.scale, height: svg.clientHeight / options.scale };
      var moment = view.now === null ? null : Math.floor(view.now / 10);
      var wanted = JSON.stringify([day && day.as_of, view.inside, moment, size, view.standing.isTrusted]);
      if (day && view.now !== null && size.width > 0 && wanted !== drawn) {
        drawn = wanted;
        var frame = { marks: thresholdMarks(item, options), format: view.format, locale: options.locale };
        drawDay(svg, day, view, Object.assign(frame, size));
        svg.setAttribute("aria-label", sentenceOf(item, view, options) + ". " + comparisonWords(view, day));
      }
    },
  };
}

/* Reads the day now and then; what was read last stays until there is something newer. */
function dayReading(url) {
  var due = 0;
  var day = null;
  var failure = null;

  function failed(words, requestId) {
    failure = { words: words, requestId: requestId || "" };
    due = monotonic() + DAY_AGAIN[0] + Math.random() * (DAY_AGAIN[1] - DAY_AGAIN[0]);
  }

  function read() {
    var control = new AbortController();
    var timer = setTimeout(function () {
      control.abort();
    }, DAY_PATIENCE * 1000);
    fetch(url, { signal: control.signal, cache: "no-store" })
      .then(function (answer) {
        return answer.json();
      })
      .then(function (body) {
        if (body.error || !body.today) {
          failed(body.error || "", body.request_id);
        } else {
          day = body;
          failure = null;
        }
      })
      .catch(function () {
        failed("");
      })
      .then(function () {
        clearTimeout(timer);
      });
  }

  return {
    day: function () {
      return day;
    },
    failure: function () {
      return failure;
    },
    tick: function () {
      if (monotonic() >= due) {
        due = monotonic() + DAY_EVERY * (1 + Math.random() / 10);
        read();
      }
    },
  };
}

function comparisonWords(view, day) {
  var usual = day && view.now !== null ? usualAt(day.typical, minuteOfDay(view.now, day.timezone)) : null;
  if (usual === null || view.inside === null || !view.standing.isTrusted) {
    return "";
  }
  var difference = Math.round(view.inside - usual);
  if (Math.abs(difference) <= AS_USUAL * usual) {
    return WORDS.asUsual;
  }
  return say(difference > 0 ? "more" : "fewer", { n: view.format.number(Math.abs(difference)) });
}

/* Between two quarters of an hour on the straight line; null outside of what is known. */
function usualAt(typical, minute) {
  for (var place = 1; place < typical.length; place += 1) {
    var before = typical[place - 1];
    var after = typical[place];
    if (before[0] <= minute && minute <= after[0]) {
      return before[1] + ((after[1] - before[1]) * (minute - before[0])) / (after[0] - before[0]);
    }
  }
  return null;
}

function noteWords(reading, view) {
  var day = reading.day();
  var failure = reading.failure();
  if (failure && (!day || view.now - day.as_of > OLD_DAY)) {
    var parts = [WORDS.curveMissing, withoutStop(failure.words)];
    parts.push(failure.requestId ? say("requestId", { id: failure.requestId }) : "");
    parts.push(day ? say("curveAsOf", { time: view.format.time(day.as_of) }) : "");
    return parts.filter(Boolean).join(" · ");
  }
  if (!day) {
    return WORDS.curveLoading;
  }
  return day.typical.length ? "" : WORDS.noTypical;
}

/* Steps that were read and, from the last of them on, the minutes that came with the stream. */
function curveOfToday(day, points) {
  var last = day.today.length ? day.today[day.today.length - 1][0] : day.day_start;
  var fresh = points.filter(function (point) {
    return point[0] >= last && point[1] !== null;
  });
  if (!fresh.length) {
    return day.today;
  }
  return day.today
    .filter(function (point) {
      return point[0] < last;
    })
    .concat(fresh);
}

function drawDay(svg, day, view, frame) {
  var today = curveOfToday(day, view.feed ? view.feed.points : []).map(function (point) {
    return [minuteOfDay(point[0], day.timezone), point[1], point[0]];
  });
  var plot = dayPlot(day.typical.concat(today), frame);
  svg.setAttribute("viewBox", "0 0 " + frame.width + " " + frame.height);
  svg.textContent = "";
  drawDayAxes(svg, plot, frame);
  drawMarks(svg, plot, frame);
  drawStroke(svg, plot, day.typical.filter(plot.holds), "line typical");
  unbroken(today.filter(plot.holds)).forEach(function (run) {
    drawStroke(svg, plot, run, "line");
  });
  nameCurves(svg, plot, today, day, frame);
}

/* Whole hours from the first to the last that has a count. */
function dayPlot(points, frame) {
  var busy = points.filter(function (point) {
    return point[1] > 0;
  });
  var minutes = (busy.length ? busy : [[0], [1440]]).map(function (point) {
    return point[0];
  });
  var from = Math.floor(Math.min.apply(null, minutes) / 60) * 60;
  var to = Math.max(from + 180, Math.ceil(Math.max.apply(null, minutes) / 60) * 60);
  var highest = points.reduce(function (most, point) {
    return Math.max(most, point[1] || 0);
  }, 0);
  var plot = { left: 38, right: frame.width - 12, top: 16, bottom: frame.height - 22, from: from, to: to };
  plot.ceiling = roundCeiling(highest * 1.08);
  plot.holds = function (point) {
    return point[0] >= from && point[0] <= to;
  };
  plot.x = function (minute) {
    return plot.left + ((minute - from) / (to - from)) * (plot.right - plot.left);
  };
  plot.y = function (value) {
    return plot.bottom - (value / plot.ceiling) * (plot.bottom - plot.top);
  };
  return plot;
}

function drawDayAxes(svg, plot, frame) {
  [0, 0.5, 1].forEach(function (part) {
    var y = plot.y(plot.ceiling * part);
    svg.appendChild(svgElement("line", { x1: plot.left, x2: plot.right, y1: y, y2: y, class: "grid" }));
    label(svg, plot.left - 6, y + 4, "end", frame.format.number(plot.ceiling * part));
  });
  var room = (plot.right - plot.left) / 46; // labels that fit beside each other
  var hours = (plot.to - plot.from) / 60;
  var step = [1, 2, 3, 4, 6, 12].filter(function (each) {
    return hours / each <= room;
  })[0];
  for (var hour = Math.ceil(plot.from / 60 / step) * step; hour * 60 <= plot.to; hour += step) {
    var x = plot.x(hour * 60);
    svg.appendChild(svgElement("line", { x1: x, x2: x, y1: plot.bottom, y2: plot.bottom + 4, class: "tick" }));
    label(svg, Math.min(x, plot.right - 6), plot.bottom + 18, "middle", (hour < 10 ? "0" : "") + hour + ":00");
  }
}

/* Parts of a curve without a missing step in them. */
function unbroken(points) {
  var runs = [];
  points.forEach(function (point, place) {
    if (!place || point[2] - points[place - 1][2] > 1.5 * STEP) {
      runs.push([]);
    }
    runs[runs.length - 1].push(point);
  });
  return runs;
}

function drawStroke(svg, plot, points, kind) {
  var places = points.map(function (point) {
    return plot.x(point[0]).toFixed(1) + "," + plot.y(point[1]).toFixed(1);
  });
  if (places.length) {
    svg.appendChild(svgElement("polyline", { points: places.join(" "), class: kind }));
  }
}

/* Names beside the curves; the typical day's at its peak, out of the way of today's. */
function nameCurves(svg, plot, today, day, frame) {
  var now = today[today.length - 1];
  var at = { x: -1e4, y: -1e4 };
  if (now) {
    at = { x: plot.x(now[0]), y: plot.y(now[1]) };
    svg.appendChild(svgElement("circle", { cx: at.x, cy: at.y, r: 4, class: "dot" }));
    label(svg, Math.min(at.x + 8, plot.right - 34), Math.max(at.y - 8, 12), "start", WORDS.today);
  }
  if (day.typical.length) {
    var peak = day.typical.reduce(function (most, point) {
      return point[1] > most[1] ? point : most;
    });
    var weekday = new Intl.DateTimeFormat(frame.locale, { weekday: "long", timeZone: day.timezone });
    var name = say("typicalDay", { weekday: weekday.format(new Date((day.day_start + 43200) * 1000)) });
    var x = Math.max(plot.left + 60, Math.min(plot.x(peak[0]), plot.right - 60));
    var above = plot.y(peak[1]) - 8;
    var isTaken = Math.abs(x - at.x) < 110 && Math.abs(above - at.y) < 24;
    label(svg, x, Math.max(isTaken ? above + 34 : above, 12), "middle", name);
  }
}
