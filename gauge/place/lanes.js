/* A way between two zones: a line, and on each side of it a lane for one direction, as wide as people crossed. One keeps
 * right, as in a street, so that side and arrowhead tell the direction, whatever the colours.
 */

var CORNER = 7; // radius, pixels
var ARROW = { length: 9, half: 4, most: 7.5 }; // pixels; `half` at least, `most` of a wide lane
var LANE = { least: 1.5, most: 7, gap: 1 }; // pixels: width of a lane that anybody took, the widest, from the line
var SHARP = 0.4; // of a corner: no lane beside it leads further out

function wayInto(svg, line, pitch) {
  var group = svgElement("g", { class: "way", role: "img" });
  var title = titleInto(group, "title", "");
  var path = rounded(line);
  group.appendChild(svgElement("path", { d: path, class: "reach", "stroke-width": Math.min(18, pitch) }));
  group.appendChild(svgElement("path", { d: path, class: "ring" }));
  group.appendChild(svgElement("path", { d: path, class: "within-ring" }));
  group.appendChild(svgElement("path", { d: path, class: "line" }));
  var tip = group.appendChild(svgElement("polygon", { points: arrowhead(line, ARROW.half), class: "tip" }));
  var lanes = [line, line.slice().reverse()].map(function (corners, direction) {
    return laneInto(group, corners, direction ? "backward" : "forward");
  });
  var widest = Math.max(LANE.least, Math.min(LANE.most, (pitch - 2 * LANE.gap - 1) / 2));
  svg.appendChild(group);

  return {
    node: group,
    /* Along which each direction is walked: [[x, y]], forward and backward. */
    courses: function () {
      return lanes.map(function (lane) {
        return lane.corners;
      });
    },
    /* `both` is [forward, backward], `most` the most of all ways; null: nobody knows. */
    draw: function (both, most, text) {
      setText(title, text);
      lanes.forEach(function (lane, direction) {
        lane.draw(both && both[direction] > 0 ? Math.max(LANE.least, (widest * both[direction]) / most) : 0);
      });
      // Where nobody crosses, the arrow shows how the passage was set up.
      tip.style.display = both && both[0] + both[1] > 0 ? "none" : "";
    },
  };
}

function laneInto(group, corners, direction) {
  var path = group.appendChild(svgElement("path", { class: "lane " + direction }));
  var tip = group.appendChild(svgElement("polygon", { class: "lane-tip " + direction }));
  var drawn = null;
  var lane = {
    corners: aside(corners, LANE.gap + LANE.least / 2),
    draw: function (width) {
      var wanted = width.toFixed(1);
      if (wanted === drawn) {
        return;
      }
      drawn = wanted;
      path.style.display = tip.style.display = width ? "" : "none";
      lane.corners = aside(corners, LANE.gap + (width || LANE.least) / 2);
      path.setAttribute("d", rounded(shortened(lane.corners, ARROW.length - 1)));
      path.setAttribute("stroke-width", wanted);
      tip.setAttribute("points", arrowhead(lane.corners, Math.min(ARROW.most, Math.max(3, width / 2 + 2))));
    },
  };
  lane.draw(0);
  return lane;
}

/* The line so many pixels to the right of itself, as one walks along it. */
function aside(line, distance) {
  return line.map(function (point, position) {
    var runs = [
      position > 0 ? towardsRight(line[position - 1], point) : null,
      position < line.length - 1 ? towardsRight(point, line[position + 1]) : null,
    ].filter(Boolean);
    var right = runs.reduce(
      function (sum, run) {
        return [sum[0] + run[0], sum[1] + run[1]];
      },
      [0, 0]
    );
    // Of two runs that meet at an angle, where both lines beside them meet; a sharp corner is cut.
    var part = distance / (runs.length < 2 ? 1 : Math.max(SHARP, 1 + runs[0][0] * runs[1][0] + runs[0][1] * runs[1][1]));
    return [point[0] + right[0] * part, point[1] + right[1] * part];
  });
}

/* One pixel to the right of who walks from one point to the other; y grows downwards. Null: they are one. */
function towardsRight(from, to) {
  var length = Math.hypot(to[0] - from[0], to[1] - from[1]);
  return length ? [-(to[1] - from[1]) / length, (to[0] - from[0]) / length] : null;
}

/* Without its last few pixels, where an arrowhead is. */
function shortened(line, by) {
  var last = line[line.length - 1];
  var before = line[line.length - 2];
  var length = Math.hypot(last[0] - before[0], last[1] - before[1]);
  var part = length ? Math.max(0, length - by) / length : 0;
  var end = [before[0] + (last[0] - before[0]) * part, before[1] + (last[1] - before[1]) * part];
  return line.slice(0, -1).concat([end]);
}

/* The corners of the line as arcs; both ends stay where they are. */
function rounded(line) {
  var path = "M" + line[0].join(" ");
  for (var position = 1; position < line.length - 1; position += 1) {
    var before = towards(line[position], line[position - 1]);
    var after = towards(line[position], line[position + 1]);
    path += "L" + before.join(" ") + "Q" + line[position].join(" ") + " " + after.join(" ");
  }
  return path + "L" + line[line.length - 1].join(" ");
}

/* At most a corner's radius, and half the way, from one point to the next. */
function towards(point, next) {
  var length = Math.hypot(next[0] - point[0], next[1] - point[1]);
  var part = length ? Math.min(CORNER, length / 2) / length : 0;
  return [point[0] + (next[0] - point[0]) * part, point[1] + (next[1] - point[1]) * part];
}

/* Its tip is the end of the line. */
function arrowhead(line, half) {
  var tip = line[line.length - 1];
  var right = towardsRight(line[line.length - 2], tip) || [0, 0];
  var end = [tip[0] - ARROW.length * right[1], tip[1] + ARROW.length * right[0]];
  return [
    tip,
    [end[0] + half * right[0], end[1] + half * right[1]],
    [end[0] - half * right[0], end[1] - half * right[1]],
  ].join(" ");
}
