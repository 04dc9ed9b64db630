/* The line of the last hours as SVG: gaps stay gaps, the minute that still runs is dashed. */

var SVG_NAMESPACE = "http://www.w3.org/2000/svg";
var MINUTE = 60; // seconds

function svgElement(name, attributes) {
  var element = document.createElementNS(SVG_NAMESPACE, name);
  Object.keys(attributes || {}).forEach(function (key) {
    element.setAttribute(key, attributes[key]);
  });
  return element;
}

/* Runs of neighbouring minutes; a missing or null minute ends a run. */
function runsOf(points) {
  var runs = [];
  points.forEach(function (point) {
    var run = runs[runs.length - 1];
    var follows = run && run.length && point[0] - run[run.length - 1][0] <= MINUTE;
    if (point[1] === null) {
      runs.push([]);
    } else if (follows) {
      run.push(point);
    } else {
      runs.push([point]);
    }
  });
  return runs.filter(function (run) {
    return run.length;
  });
}

/* A round number at or above the largest value, so that the axis has few and simple labels. */
function roundCeiling(value) {
  var power = Math.pow(10, Math.floor(Math.log10(Math.max(value, 1))));
  return [1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10]
    .map(function (step) {
      return step * power;
    })
    .filter(function (ceiling) {
      return ceiling >= value && ceiling >= 4 && ceiling % 2 === 0;
    })
    .concat([10 * power])[0];
}

var LETTER_WIDTH = 7; // of a label, in units of a chart, on the safe side
var LINE_HEIGHT = 14;

/* The room beside and below a plot that its labels need: none of them lies on a line. */
function axisMargins(values, marks, format) {
  var longest = values.reduce(function (most, value) {
    return Math.max(most, format.short(value).length);
  }, 0);
  var widest = marks.reduce(function (most, mark) {
    return Math.max(most, mark.label.length);
  }, 0);
  return { top: 10, right: Math.max(20, 12 + LETTER_WIDTH * widest), bottom: 24, left: 12 + LETTER_WIDTH * longest };
}

/* Draws points of [now - span, now] into an <svg>, replacing what it showed.
 *
 * frame: {width, height, span, now, marks: [{value, label}], format, isBare, usual, closed, spoiltUntil}; usual are points
 * of what is usual, one a minute, drawn as a quiet line below; closed are [from, to], shaded, within the span; a bare
 * trend has no axes; points before spoiltUntil mean nothing, and are quiet, too.
 */
function drawTrend(svg, points, frame) {
  var seen = points.filter(function (point) {
    return point[0] >= frame.now - frame.span;
  });
  var usual = frame.usual || [];
  var highest = seen.concat(usual).reduce(function (most, point) {
    return Math.max(most, point[1] || 0);
  }, 0);
  var ceiling = frame.isBare ? Math.max(highest * 1.1, 1) : roundCeiling(highest * 1.05);
  var marks = (frame.marks || []).filter(function (mark) {
    return mark.value <= ceiling;
  });
  var margin = frame.isBare
    ? { top: 3, right: 4, bottom: 3, left: 1 }
    : axisMargins([ceiling, ceiling / 2], marks, frame.format);
  var plot = {
    left: margin.left,
    right: frame.width - margin.right,
    top: margin.top,
    bottom: frame.height - margin.bottom,
    ceiling: ceiling,
    x: function (time) {
      return this.right - ((frame.now - time) / frame.span) * (this.right - this.left);
    },
    y: function (value) {
      return this.bottom - (value / ceiling) * (this.bottom - this.top);
    },
  };
  svg.setAttribute("viewBox", "0 0 " + frame.width + " " + frame.height);
  svg.textContent = "";
  drawClosed(svg, plot, frame.closed || []);
  if (!frame.isBare) {
    drawAxes(svg, plot, frame);
    drawMarks(svg, plot, marks);
  }
  runsOf(usual).forEach(function (run) {
    var positions = run.map(positionsOn(plot)).join(" ");
    svg.appendChild(svgElement("polyline", { points: positions, class: "line usual" }));
  });
  runsOf(seen.filter(isSpoiltBefore(frame.spoiltUntil))).forEach(function (run) {
    drawSettled(svg, plot, run, " untrusted");
  });
  runsOf(seen.filter(isSoundFrom(frame.spoiltUntil))).forEach(function (run) {
    drawRun(svg, plot, run, frame);
  });
}

/* `closed` are [from, to] on the axis of the plot. */
function drawClosed(svg, plot, closed) {
  closed.forEach(function (span) {
    var x = plot.x(span[0]);
    var size = { width: plot.x(span[1]) - x, height: plot.bottom - plot.top };
    svg.appendChild(svgElement("rect", Object.assign({ x: x, y: plot.top, class: "closed" }, size)));
  });
}

function drawAxes(svg, plot, frame) {
  [0, 0.5, 1].forEach(function (part) {
    var value = plot.ceiling * part;
    var y = plot.y(value);
    svg.appendChild(svgElement("line", { x1: plot.left, x2: plot.right, y1: y, y2: y, class: "grid" }));
    label(svg, plot.left - 6, y + 4, "end", frame.format.short(value));
  });
  // Whole local half hours: every offset in use is a multiple of 15 minutes, so steps of 15 hit them.
  var step = plot.right - plot.left < 420 ? 3600 : 1800;
  for (var time = Math.ceil((frame.now - frame.span) / 900) * 900; time <= frame.now; time += 900) {
    if (frame.format.secondsIntoHour(time) % step !== 0 || plot.x(time) > plot.right - 14) {
      continue;
    }
    var x = plot.x(time);
    svg.appendChild(svgElement("line", { x1: x, x2: x, y1: plot.bottom, y2: plot.bottom + 4, class: "tick" }));
    label(svg, x, plot.bottom + 19, "middle", frame.format.time(time));
  }
}

/* Lines across the plot, named in the margin beside them. A name that would lie on that of a mark before it is left
 * out: moved away, it would stand beside another line. */
function drawMarks(svg, plot, marks) {
  var named = [];
  marks.forEach(function (mark) {
    var y = plot.y(mark.value);
    var ends = { x1: plot.left, x2: plot.right, y1: y, y2: y, class: "mark " + mark.level };
    svg.appendChild(svgElement("line", ends));
    var isFree = named.every(function (other) {
      return Math.abs(y - other) >= LINE_HEIGHT;
    });
    if (isFree) {
      named.push(y);
      label(svg, plot.right + 6, y + 4, "start", mark.label);
    }
  });
}

/* Whether a point is of a count that is over and meant nothing; `until` is the feed's `spoilt_until`. */
function isSpoiltBefore(until) {
  return function (point) {
    return point[0] < (until || 0);
  };
}

function isSoundFrom(until) {
  return function (point) {
    return point[0] >= (until || 0);
  };
}

function drawSettled(svg, plot, run, kind) {
  if (run.length > 1) {
    svg.appendChild(svgElement("polyline", { points: run.map(positionsOn(plot)).join(" "), class: "line" + kind }));
  } else if (run.length === 1) {
    dot(svg, plot, run[0], 1.6, "dot" + kind);
  }
}

function drawRun(svg, plot, run, frame) {
  var last = run[run.length - 1];
  var isRunning = last[0] + MINUTE > frame.now;
  var settled = isRunning ? run.slice(0, -1) : run;
  var position = positionsOn(plot);
  drawSettled(svg, plot, settled, "");
  if (isRunning) {
    if (settled.length) {
      var pair = [settled[settled.length - 1], last].map(position).join(" ");
      svg.appendChild(svgElement("polyline", { points: pair, class: "line unfinished" }));
    }
    dot(svg, plot, last, frame.isBare ? 2.2 : 3.5, "dot unfinished");
  }
}

function positionsOn(plot) {
  return function (point) {
    return plot.x(point[0]).toFixed(1) + "," + plot.y(point[1]).toFixed(1);
  };
}

function dot(svg, plot, point, radius, kind) {
  svg.appendChild(svgElement("circle", { cx: plot.x(point[0]), cy: plot.y(point[1]), r: radius, class: kind }));
}

function label(svg, x, y, anchor, text) {
  var element = svgElement("text", { x: x, y: y, "text-anchor": anchor, class: "label" });
  element.textContent = text;
  svg.appendChild(element);
}
