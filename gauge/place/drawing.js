/* The zone graph as SVG: cards that say how full each zone is, and the ways between them.
 *
 * `graph` is {description, zones: [item], ways: [{name, title}], drawings: [...]}, ascending in width. A drawing
 * is {width, height, outline, cards: [box], lines: [[[x, y]]], labels: [[box, isName] | null]}; boxes are [left,
 * top, right, bottom] in pixels. Cards are in the order of `zones`, lines and labels in the order of `ways`.
 */

var CORNER = 7; // radius, pixels
var ARROW = { length: 9, half: 4 }; // pixels

function graphInto(parent, graph) {
  var node = element("div", "graph", parent);
  var ways = element("ul", "ways", parent);
  var shown = null;
  var cards = [];

  function fitting() {
    var room = parent.clientWidth;
    return graph.drawings.reduce(function (best, drawing) {
      return drawing.width <= room ? drawing : best;
    }, graph.drawings[0]);
  }

  function build(drawing) {
    shown = drawing;
    node.textContent = "";
    var size = { viewBox: "0 0 " + drawing.width + " " + drawing.height, width: drawing.width, height: drawing.height };
    var svg = svgElement("svg", Object.assign({ role: "group", "aria-label": PLACE_WORDS.graph }, size));
    titleInto(svg, "desc", graph.description);
    node.appendChild(svg);
    outlineInto(svg, drawing.outline);
    drawing.lines.forEach(function (line, position) {
      lineInto(svg, line, graph.ways[position]);
    });
    drawing.labels.forEach(function (label, position) {
      if (label) {
        labelInto(svg, label[0], label[1] ? graph.ways[position].name : String(position + 1), label[1], graph.ways[position]);
      }
    });
    cards = graph.zones.map(function (item, position) {
      return zoneCard(svg, item, drawing.cards[position]);
    });
    listWays(ways, graph.ways, drawing.labels);
  }

  return {
    draw: function (link, options) {
      var drawing = fitting();
      if (drawing !== shown) {
        build(drawing);
      }
      cards.forEach(function (card) {
        card.draw(link, options);
      });
    },
  };
}

function outlineInto(svg, box) {
  svg.appendChild(svgElement("rect", boxed(box, { class: "outline", rx: 10 })));
  var attributes = { x: (box[0] + box[2]) / 2, y: box[1] - 9, "text-anchor": "middle", class: "outside" };
  var outside = svgElement("text", attributes);
  outside.textContent = PLACE_WORDS.outside;
  svg.appendChild(outside);
}

function lineInto(svg, line, way) {
  var group = svgElement("g", { class: "way" });
  titleInto(group, "title", way.title);
  group.appendChild(svgElement("path", { d: rounded(line), class: "line" }));
  group.appendChild(svgElement("polygon", { points: arrowhead(line), class: "tip" }));
  svg.appendChild(group);
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

/* Its tip is the end of the line. Lines end upright or level. */
function arrowhead(line) {
  var tip = line[line.length - 1];
  var from = line[line.length - 2];
  var back = [Math.sign(from[0] - tip[0]) * ARROW.length, Math.sign(from[1] - tip[1]) * ARROW.length];
  var aside = back[0] ? [0, ARROW.half] : [ARROW.half, 0];
  return [
    tip,
    [tip[0] + back[0] + aside[0], tip[1] + back[1] + aside[1]],
    [tip[0] + back[0] - aside[0], tip[1] + back[1] - aside[1]],
  ].join(" ");
}

function labelInto(svg, box, text, isName, way) {
  // Who listens was told of the way by its line.
  var group = svgElement("g", { class: isName ? "way-label name" : "way-label number", "aria-hidden": "true" });
  titleInto(group, "title", way.title);
  group.appendChild(svgElement("rect", boxed(box, { rx: isName ? 2 : 8 })));
  var words = svgElement("text", { x: (box[0] + box[2]) / 2, y: box[3] - 4, "text-anchor": "middle" });
  group.appendChild(words);
  svg.appendChild(group);
  fitText(words, text, box[2] - box[0] - 2);
}

/* The ways whose names had no room in the drawing. */
function listWays(list, ways, labels) {
  list.textContent = "";
  ways.forEach(function (way, position) {
    if (!labels[position] || !labels[position][1]) {
      var entry = element("li", "", list);
      element("span", "number", entry).textContent = String(position + 1);
      element("span", "", entry).textContent = way.title;
    }
  });
  list.hidden = !list.firstChild;
}

function textInto(parent, x, y, kind) {
  var node = svgElement("text", { x: x, y: y, class: kind });
  parent.appendChild(node);
  return node;
}

function titleInto(parent, kind, text) {
  var node = svgElement(kind, {});
  node.textContent = text;
  parent.appendChild(node);
  return node;
}

/* Cut, with an ellipsis, to what `room` pixels hold. Measured only when the text is another one. */
function fitText(node, text, room) {
  if (node.fitted === text) {
    return;
  }
  node.textContent = text;
  var letters = Array.from(text);
  var least = 0;
  var most = letters.length;
  if (node.getComputedTextLength() > room) {
    while (least < most) {
      var middle = Math.ceil((least + most) / 2);
      node.textContent = letters.slice(0, middle).join("").trim() + "…";
      if (node.getComputedTextLength() > room) {
        most = middle - 1;
      } else {
        least = middle;
      }
    }
    node.textContent = letters.slice(0, least).join("").trim() + "…";
  }
  // A page that is not shown measures nothing.
  node.fitted = node.getComputedTextLength() > 0 ? text : null;
}

function boxed(box, attributes) {
  return Object.assign({ x: box[0], y: box[1], width: box[2] - box[0], height: box[3] - box[1] }, attributes);
}

function grown(box, by) {
  return [box[0] - by, box[1] - by, box[2] + by, box[3] + by];
}
