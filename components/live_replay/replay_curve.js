/* The curve of the whole day, what was played of it in colour, with a line at the time that is shown. */

var CURVE_HEIGHT = 116; // pixels
var THUMB = 16; // pixels: width of the slider's handle, whose middle stands below the line

function curveInto(parent, item, seek) {
  var figure = element("figure", "trend replay-curve", parent);
  var caption = element("figcaption", "caption", figure);
  var svg = svgElement("svg", { role: "img" });
  figure.appendChild(svg);
  var slider = element("input", "slider", figure);
  slider.type = "range";
  slider.setAttribute("aria-label", REPLAY_WORDS.position);
  var list = element("ol", "day-notes", figure);
  var moving = null;
  var drawn = "";
  var last = null;
  var bar = svgPictureBar(figure, function () {
    return last && curvePicture(item, last.link, last.options);
  });
  slider.addEventListener("input", function () {
    seek(Number(slider.value));
  });
  svg.addEventListener("pointerdown", function (event) {
    var box = svg.getBoundingClientRect();
    seek(moving.plot.timeAt((event.clientX - box.left) / box.width));
  });

  function build(view, recording, day, size) {
    var data = recording.data;
    moving = drawnCurve(svg, item, view, recording, size);
    listNotes(list, data, view);
    slider.min = data.start;
    slider.max = data.end - 1;
    slider.step = data.step;
    slider.style.marginLeft = moving.plot.left - THUMB / 2 + "px";
    slider.style.width = moving.plot.x(data.end) - moving.plot.left + THUMB + "px";
    var zone = placeOf(view.format.zone);
    setText(caption, joined([replayWords("curve", { day: day, zone: zone }), shadeWords(recording)]));
    svg.setAttribute("aria-label", joined([replayWords("curveSpoken", { day: day }), shadeWords(recording)]));
    bar.name(pictureTitle(item, replayWords("curvePicture", { day: day })));
  }

  return {
    draw: function (link, options) {
      last = { link: link, options: options };
      var view = viewOf(item, link, options);
      var player = link.player;
      var width = Math.max(260, figure.clientWidth || 600);
      var wanted = JSON.stringify([width, view.thresholds]);
      if (wanted !== drawn) {
        drawn = wanted;
        build(view, player.recording, options.replay.day, { width: width, height: CURVE_HEIGHT });
      }
      moving.draw(player.position, view.inside);
      slider.value = String(player.position);
      var values = { time: view.format.time(player.position), sentence: sentenceOf(item, view, options) };
      slider.setAttribute("aria-valuetext", replayWords("spoken", values));
    },
  };
}

function shadeWords(recording) {
  var data = recording.data;
  return joined([
    data.closed.length ? REPLAY_WORDS.closed : "",
    data.places[data.main].untrusted.length ? REPLAY_WORDS.untrusted : "",
    recording.uncounted().length ? REPLAY_WORDS.uncounted : "",
  ]);
}

/* Draws the day into an <svg>; what it returns moves upon it: {plot, draw(time, inside)}. */
function drawnCurve(svg, item, view, recording, size) {
  var data = recording.data;
  var points = recording.pointsOfDay();
  var plot = curvePlot(points, data, thresholdMarks(item, view), size, view.format);
  svg.setAttribute("viewBox", "0 0 " + size.width + " " + size.height);
  svg.textContent = "";
  drawClosed(svg, plot, data.closed);
  drawUncounted(svg, plot, recording.uncounted());
  drawCurveAxes(svg, plot, data, view.format);
  data.places[data.main].untrusted.forEach(function (stretch) {
    var left = plot.x(stretch[0]);
    var box = [left, plot.top, Math.max(left + 1, plot.x(stretch[1])), plot.bottom];
    svg.appendChild(svgElement("rect", boxed(box, { class: "untrusted" })));
  });
  drawMarks(svg, plot, plot.marks);
  var moving = movingInto(svg, plot, points);
  drawNotes(svg, plot, data.notes, noteNumber);
  return Object.assign(moving, { plot: plot });
}

/* As svgPictureBar takes it: the day as far as it is played, at the time that is shown. */
function curvePicture(item, link, options) {
  var player = link.player;
  var data = player.recording.data;
  var what = replayWords("curvePicture", { day: options.replay.day });
  var head = pictureHead(item, what, link, options);
  var view = viewOf(item, link, options);
  return Object.assign(head, {
    words: head.words.concat(shadeWords(player.recording) || []),
    width: PICTURED.width,
    draw: function (stage) {
      var svg = element("figure", "trend replay-curve", stage).appendChild(svgElement("svg", {}));
      drawnCurve(svg, item, view, player.recording, PICTURED).draw(player.position, view.inside);
      return svg;
    },
    below: function () {
      return notesBelow(data, view);
    },
  });
}

function curvePlot(points, data, thresholds, size, format) {
  var highest = points.reduce(function (most, point) {
    return Math.max(most, point[1]);
  }, 0);
  var ceiling = roundCeiling(highest * 1.05);
  var marks = thresholds.filter(function (mark) {
    return mark.value <= ceiling;
  });
  var margin = axisMargins([ceiling, ceiling / 2], marks, format);
  var plot = { left: margin.left, right: size.width - margin.right, top: margin.top, marks: marks, ceiling: ceiling };
  plot.bottom = size.height - margin.bottom;
  plot.x = function (time) {
    return plot.left + ((time - data.start) / (data.day_end - data.start)) * (plot.right - plot.left);
  };
  /* Of a share of the whole width. */
  plot.timeAt = function (share) {
    var part = (share * size.width - plot.left) / (plot.right - plot.left);
    return data.start + part * (data.day_end - data.start);
  };
  plot.holds = function (place) {
    return place[0] >= data.start && place[0] <= data.day_end;
  };
  plot.y = function (value) {
    return plot.bottom - (value / ceiling) * (plot.bottom - plot.top);
  };
  return plot;
}

/* Hours of the clock on the wall, as it shows them: on a day of 23 or 25 they stand apart as they were. */
function drawCurveAxes(svg, plot, data, format) {
  [0, 0.5, 1].forEach(function (part) {
    var y = plot.y(plot.ceiling * part);
    svg.appendChild(svgElement("line", { x1: plot.left, x2: plot.right, y1: y, y2: y, class: "grid" }));
    label(svg, plot.left - 6, y + 4, "end", format.short(plot.ceiling * part));
  });
  var wide = LETTER_WIDTH * format.clock(1380).length;
  var room = (plot.right - plot.left) / (wide + 10);
  var every = [1, 2, 3, 4, 6, 12].filter(function (each) {
    return 24 / each <= room;
  })[0];
  var labelled = -Infinity;
  for (var time = Math.ceil(data.start / 900) * 900; time < data.day_end; time += 900) {
    var x = plot.x(time);
    if (minuteOfDay(time, data.timezone) % (60 * every) === 0 && x - labelled >= wide) {
      labelled = x;
      svg.appendChild(svgElement("line", { x1: x, x2: x, y1: plot.bottom, y2: plot.bottom + 4, class: "tick" }));
      label(svg, Math.max(x, wide / 2), plot.bottom + 19, "middle", format.clock(minuteOfDay(time, data.timezone)));
    }
  }
}

/* The line of the day, and the same again as far as it was played. */
function movingInto(svg, plot, points) {
  var id = "headroom-replay-" + (movingInto.count += 1);
  var opening = svgElement("clipPath", { id: id });
  var played = opening.appendChild(svgElement("rect", boxed([0, 0, 0, plot.bottom + 2], {})));
  svg.appendChild(opening);
  ["line to-come", "line"].forEach(function (kind) {
    var group = svg.appendChild(svgElement("g", kind === "line" ? { "clip-path": "url(#" + id + ")" } : {}));
    runsOf(points).forEach(function (run) {
      // A single minute would be no line.
      var positions = (run.length > 1 ? run : run.concat([[run[0][0] + MINUTE, run[0][1]]])).map(positionsOn(plot));
      group.appendChild(svgElement("polyline", { points: positions.join(" "), class: kind }));
    });
  });
  var cursor = svg.appendChild(svgElement("line", { y1: plot.top, y2: plot.bottom, class: "cursor" }));
  var dot = svg.appendChild(svgElement("circle", { r: 4, class: "dot" }));
  return {
    draw: function (time, inside) {
      var x = plot.x(time).toFixed(1);
      played.setAttribute("width", x);
      cursor.setAttribute("x1", x);
      cursor.setAttribute("x2", x);
      dot.style.visibility = inside === null ? "hidden" : "";
      dot.setAttribute("cx", x);
      dot.setAttribute("cy", plot.y(inside || 0).toFixed(1));
    },
  };
}
movingInto.count = 0;
