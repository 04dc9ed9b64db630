/* The curve of a day so far beside that of a typical day, as SVG.
 *
 * Its axis is time elapsed since midnight, in minutes: on one of the clock, an hour that comes twice would lie on itself. */

var STEP = 300; // seconds of a step of the curve that is read; minutes that follow come with the stream
var HATCH = 8; // units between two lines where counts are missing
var NOTE = 5; // units from the middle of a note's mark to its edge
var KEY_LINE = 20; // units of the short line before a curve's name

/* Steps that were read, each in its middle, as a mean is, and, from the last of them on, the minutes that came with the
 * stream. */
function curveOfToday(day, points) {
  var last = day.today.length ? day.today[day.today.length - 1][0] : day.day_start;
  var fresh = points.filter(function (point) {
    return point[0] >= last && point[1] !== null;
  });
  return day.today
    .filter(function (point) {
      return !fresh.length || point[0] < last;
    })
    .map(function (point) {
      return [point[0] + STEP / 2, point[1]];
    })
    .concat(fresh);
}

function drawDay(svg, day, view, frame) {
  var today = curveOfToday(day, view.feed ? view.feed.points : []).map(function (point) {
    return [minuteWithin(day, point[0]), point[1], point[0]];
  });
  var typical = typicalWithin(day);
  svg.setAttribute("viewBox", "0 0 " + frame.width + " " + frame.height);
  svg.textContent = "";
  var points = typical.concat(today);
  var hours = busyHours(points, day);
  var closed = closedWithin(day, hours);
  var uncounted = uncountedWithin(today, hours, closed);
  var spoiltUntil = (view.feed && view.feed.spoilt_until) || 0;
  var isGrey = today.some(function (point) {
    return point[2] < spoiltUntil;
  });
  var areas = { grey: isGrey ? greyWords(view) : "", closed: closed.length > 0, uncounted: uncounted.length > 0 };
  var below = nameCurves(svg, today, day, frame, areas);
  var plot = dayPlot(points, hours, frame, below);
  drawClosed(svg, plot, closed);
  drawUncounted(svg, plot, uncounted);
  drawDayAxes(svg, plot, day, frame);
  drawMarks(svg, plot, plot.marks);
  unbroken(typical.filter(plot.holds), isNextTo).forEach(function (run) {
    drawStroke(svg, plot, run, "line typical");
  });
  [true, false].forEach(function (isSpoilt) {
    var own = today.filter(function (point) {
      return plot.holds(point) && (point[2] < spoiltUntil) === isSpoilt;
    });
    unbroken(own, isNextStep).forEach(function (run) {
      drawStroke(svg, plot, run, isSpoilt ? "line untrusted" : "line");
    });
  });
  drawNotes(svg, plot, notesWithin(day), frame.noteLabel);
  var now = today[today.length - 1];
  if (now && plot.holds(now)) {
    svg.appendChild(svgElement("circle", { cx: plot.x(now[0]), cy: plot.y(now[1]), r: 4, class: "dot" }));
  }
}

/* Whole hours from the first to the last that has a count, as minutes of the day. */
function busyHours(points, day) {
  var busy = points.filter(function (point) {
    return point[1] > 0;
  });
  var minutes = (busy.length ? busy : [[0], [minuteWithin(day, day.until)]]).map(function (point) {
    return point[0];
  });
  var from = Math.floor(Math.min.apply(null, minutes) / 60) * 60;
  return { from: from, to: Math.max(from + 180, Math.ceil(Math.max.apply(null, minutes) / 60) * 60) };
}

function dayPlot(points, hours, frame, below) {
  var from = hours.from;
  var to = hours.to;
  var highest = points.reduce(function (most, point) {
    return Math.max(most, point[1] || 0);
  }, 0);
  var ceiling = roundCeiling(highest * 1.08);
  var marks = frame.marks.filter(function (mark) {
    return mark.value <= ceiling;
  });
  var margin = axisMargins([ceiling, ceiling / 2], marks, frame.format);
  var plot = { left: margin.left, right: frame.width - margin.right, from: from, to: to, ceiling: ceiling };
  plot.top = below + margin.top;
  plot.bottom = frame.height - margin.bottom;
  plot.marks = marks;
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

/* [from, to] in minutes of the day, of closed time that lies in `hours`. */
function closedWithin(day, hours) {
  return (day.closed || [])
    .map(function (span) {
      return [Math.max(minuteWithin(day, span[0]), hours.from), Math.min(minuteWithin(day, span[1]), hours.to)];
    })
    .filter(function (span) {
      return span[0] < span[1];
    });
}

/* Minutes since the day began. */
function minuteWithin(day, epoch) {
  return (Math.min(Math.max(epoch, day.day_start), day.until) - day.day_start) / 60;
}

/* The typical day where the clocks of this one show its times: in an hour that comes twice both times, in one that is
 * skipped nowhere. */
function typicalWithin(day) {
  var longer = (day.until - day.day_start) / 60 - 1440; // minutes
  if (!longer) {
    return day.typical;
  }
  var points = [];
  [0, longer].forEach(function (moved) {
    day.typical.forEach(function (point) {
      var epoch = day.day_start + 60 * (point[0] + moved);
      var minute = epoch === day.until ? 1440 : minuteOfDay(epoch, day.timezone);
      if (epoch >= day.day_start && epoch <= day.until && minute === Math.floor(point[0])) {
        points.push([point[0] + moved, point[1]]);
      }
    });
  });
  return points.sort(function (one, other) {
    return one[0] - other[0];
  });
}

/* [from, to] in minutes of the day between two neighbours of today's curve with nothing counted between them, in
 * `hours`, and not all of it `closed`. */
function uncountedWithin(today, hours, closed) {
  return today
    .slice(1)
    .map(function (after, position) {
      return isNextStep(today[position], after) ? [0, 0] : [today[position][0], after[0]];
    })
    .map(function (span) {
      return [Math.max(span[0], hours.from), Math.min(span[1], hours.to)];
    })
    .filter(function (span) {
      var isClosed = closed.some(function (one) {
        return one[0] <= span[0] && span[1] <= one[1];
      });
      return span[0] < span[1] && !isClosed;
    });
}

/* Slanted lines, as History has them. */
function drawUncounted(svg, plot, uncounted) {
  uncounted.forEach(function (span) {
    var edges = { left: plot.x(span[0]), right: plot.x(span[1]), top: plot.top, bottom: plot.bottom };
    hatch(svg, edges);
  });
}

function hatch(svg, edges) {
  var height = edges.bottom - edges.top;
  for (var x = edges.left - height; x < edges.right; x += HATCH) {
    var from = Math.max(x, edges.left);
    var to = Math.min(x + height, edges.right);
    var ends = { x1: from, y1: edges.bottom - (from - x), x2: to, y2: edges.bottom - (to - x), class: "uncounted" };
    svg.appendChild(svgElement("line", ends));
  }
}

/* [minute of the day, text, the mark's own word or none]. */
function notesWithin(day) {
  return (day.notes || []).map(function (note) {
    return [minuteWithin(day, note[0]), note[1], note[2]];
  });
}

/* A mark where somebody wrote a note, of [place on the axis, text], and beside it its own word, if it has a third, or what
 * wordsOf(text, number) gives, where there is room until the next one. */
function drawNotes(svg, plot, places, wordsOf) {
  places.forEach(function (place, position) {
    if (!plot.holds(place)) {
      return;
    }
    var x = plot.x(place[0]);
    var next = places[position + 1];
    var room = (next && plot.holds(next) ? plot.x(next[0]) - NOTE : plot.right) - x - NOTE - 3;
    var words = place[2] || wordsOf(place[1], position + 1);
    svg.appendChild(svgElement("line", { x1: x, x2: x, y1: plot.top, y2: plot.bottom, class: "note-line" }));
    var diamond = "M" + [x, plot.top - NOTE] + "l5 5l-5 5l-5-5z";
    svg.appendChild(svgElement("path", { d: diamond, class: "note-mark" }));
    if (LETTER_WIDTH * words.length <= room) {
      label(svg, x + NOTE + 3, plot.top + 4, "start", words);
    }
  });
}

/* Hours as the clocks show them: where these go back, one stands there twice, and says which of the two it is. */
function drawDayAxes(svg, plot, day, frame) {
  [0, 0.5, 1].forEach(function (part) {
    var y = plot.y(plot.ceiling * part);
    svg.appendChild(svgElement("line", { x1: plot.left, x2: plot.right, y1: y, y2: y, class: "grid" }));
    label(svg, plot.left - 6, y + 4, "end", frame.format.short(plot.ceiling * part));
  });
  var wide = LETTER_WIDTH * frame.format.clock(1380).length;
  var room = (plot.right - plot.left) / Math.max(46, wide + 6); // labels that fit beside each other
  var hours = (plot.to - plot.from) / 60;
  var step = [1, 2, 3, 4, 6, 12].filter(function (each) {
    return hours / each <= room;
  })[0];
  var end = -Infinity; // of the last label
  for (var minute = plot.from; minute <= plot.to; minute += 30) {
    var epoch = day.day_start + 60 * minute;
    if (minuteOfDay(epoch, day.timezone) % (60 * step)) {
      continue;
    }
    var x = plot.x(minute);
    var text = frame.format.time(epoch);
    var half = (LETTER_WIDTH * text.length) / 2;
    svg.appendChild(svgElement("line", { x1: x, x2: x, y1: plot.bottom, y2: plot.bottom + 4, class: "tick" }));
    if (x - half >= end) {
      end = x + half;
      // The first and the last may lie at the edge of the picture, which would cut them.
      label(svg, Math.min(Math.max(x, half), frame.width - half), plot.bottom + 19, "middle", text);
    }
  }
}

function isNextStep(before, after) {
  return after[2] - before[2] <= 1.5 * STEP;
}

/* Parts of a curve without a missing step in them; follows(before, after) tells whether none is missing. */
function unbroken(points, follows) {
  var runs = [];
  points.forEach(function (point, position) {
    if (!position || !follows(points[position - 1], point)) {
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

/* A short line and a name for each curve, above the plot, where nothing crosses them. Returns how much room they take. */
function nameCurves(svg, today, day, frame, areas) {
  var x = 0;
  var y = 0;
  var named = today.length ? [["line", WORDS.today]] : [];
  if (areas.grey) {
    named.push(["line untrusted", areas.grey]);
  }
  if (hasCurve(day.typical)) {
    var weekday = new Intl.DateTimeFormat(frame.locale, { weekday: "long", timeZone: day.timezone });
    var words = { weekday: weekday.format(new Date((day.day_start + 43200) * 1000)) };
    named.push(["line typical", say("typicalDay", words)]);
  }
  if (areas.closed) {
    named.push(["closed", WORDS.closedTime]);
  }
  if (areas.uncounted) {
    named.push(["uncounted", WORDS.uncountedTime]);
  }
  named.forEach(function (curve) {
    var width = KEY_LINE + 6 + LETTER_WIDTH * curve[1].length;
    if (x && x + width > frame.width) {
      x = 0;
      y += LINE_HEIGHT + 2;
    }
    var ends = { x1: x, x2: x + KEY_LINE, y1: y + 8, y2: y + 8, class: curve[0] };
    var area = { x: x, y: y + 3, width: KEY_LINE, height: 10, class: curve[0] };
    if (curve[0] === "uncounted") {
      hatch(svg, { left: x, right: x + KEY_LINE, top: area.y, bottom: area.y + area.height });
    } else {
      svg.appendChild(curve[0] === "closed" ? svgElement("rect", area) : svgElement("line", ends));
    }
    label(svg, x + KEY_LINE + 6, y + 12, "start", curve[1]);
    x += width + 14;
  });
  return named.length ? y + LINE_HEIGHT + 2 : 0;
}
