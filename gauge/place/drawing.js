/* A site's zones and the ways between them as SVG: cards that fill, and lines as wide as people cross.
 *
 * `graph` is {description, zones: [item], ways: [{name, title, passages: [id]}], crossings, timezone, picture,
 * drawings: [...]}, these ascending in width; `picture` is the address of what all of it stands on, if anything; `crossings` is the name of the feed of its passages, empty where there is none. A drawing
 * is {width, height, outline, pitch, cards: [box], lines: [[[x, y]]], labels: [[box, isName] | null], leaders: [[[x, y], [x, y]]]}; boxes are [left,
 * top, right, bottom] in pixels. Cards are in the order of `zones`, lines and labels in the order of `ways`.
 */

function graphInto(parent, graph) {
  var node = element("div", "graph", parent);
  node.classList.toggle("plan", Boolean(graph.picture));
  var letters = lettersInto(parent, graph);
  var list = wayListInto(parent, graph);
  var shown = null;
  var cards = [];
  var ways = [];
  var dots = null;
  var lookout = lookoutFor();
  var drawn = { link: null, options: null };

  function fitting() {
    var room = parent.clientWidth;
    return graph.drawings.reduce(function (best, drawing) {
      return drawing.width <= room ? drawing : best;
    }, graph.drawings[0]);
  }

  function build(drawing) {
    shown = drawing;
    if (dots) {
      dots.clear();
    }
    node.textContent = "";
    var size = { viewBox: "0 0 " + drawing.width + " " + drawing.height, width: drawing.width, height: drawing.height };
    var svg = svgElement("svg", Object.assign({ role: "group", "aria-label": PLACE_WORDS.graph }, size));
    titleInto(svg, "desc", graph.description);
    node.appendChild(svg);
    groundInto(svg, drawing.outline, graph.picture);
    ways = drawing.lines.map(function (line, position) {
      var way = wayInto(svg, line, drawing.pitch);
      pointedAt(way.node, position);
      return way;
    });
    leadersInto(svg, drawing.leaders);
    dots = dotsInto(svg.appendChild(svgElement("g", { class: "people", "aria-hidden": "true" })));
    drawing.labels.forEach(function (label, position) {
      if (label) {
        var text = label[1] ? graph.ways[position].name : String(position + 1);
        labelInto(svg, label[0], text, label[1], graph.ways[position]);
      }
    });
    cards = graph.zones.map(function (item, position) {
      return zoneCard(svg, item, drawing.cards[position], letterOf(position));
    });
    letters.fill(drawing);
    list.fill(drawing.labels);
  }

  /* Its numbers are told while one points at it, or has it in focus, and until one taps elsewhere. */
  function pointedAt(way, position) {
    var told = { mouseenter: position, focus: position, click: position, mouseleave: null, blur: null };
    Object.keys(told).forEach(function (kind) {
      way.addEventListener(kind, function () {
        list.point(told[kind]);
        drawWays();
      });
    });
    // One step with Tab leads to all of them, and arrows from one to the next: there may be many.
    way.setAttribute("tabindex", position ? "-1" : "0");
    way.addEventListener("keydown", function (event) {
      var step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      if (step) {
        event.preventDefault();
        var next = ways[(position + step + ways.length) % ways.length].node;
        way.setAttribute("tabindex", "-1");
        next.setAttribute("tabindex", "0");
        next.focus();
      }
    });
  }

  function drawWays() {
    var found = crossingsOf(graph, drawn.link, drawn.options);
    var most = mostOf(found.ways);
    var words = found.ways.map(function (both, position) {
      var way = graph.ways[position];
      return crossedWords(both, found.isRead(way), found.format, found.minutes(way));
    });
    node.setAttribute("data-crossings", found.isTrusted ? "true" : "false");
    ways.forEach(function (way, position) {
      var text = graph.ways[position].title;
      way.draw(found.ways[position], most, graph.crossings ? text + ": " + words[position] : text);
    });
    list.draw(found, words);
    return found;
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
      letters.draw(link, options);
      drawn = { link: link, options: options };
      sendPeople(dots, graph, ways, lookout.crossed(passagesOf(drawWays()), link.isOpen, monotonic()));
    },
    close: function () {
      if (dots) {
        dots.clear();
      }
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

/* Cut, with an ellipsis, to what `room` pixels hold; its end is kept where that is `kept`. Measured only when the text is
 * another one. */
function fitText(node, text, room, kept) {
  if (node.fitted === text) {
    return;
  }
  node.textContent = text;
  var rest = kept || "";
  var letters = Array.from(text.slice(0, text.length - rest.length));
  var least = 0;
  var most = letters.length;
  if (node.getComputedTextLength() > room) {
    while (least < most) {
      var middle = Math.ceil((least + most) / 2);
      node.textContent = letters.slice(0, middle).join("").trim() + "…" + rest;
      if (node.getComputedTextLength() > room) {
        most = middle - 1;
      } else {
        least = middle;
      }
    }
    node.textContent = letters.slice(0, least).join("").trim() + "…" + rest;
  }
  // A page that is not shown measures nothing.
  node.fitted = node.getComputedTextLength() > 0 ? text : null;
}

/* The first of `texts` that `room` pixels hold, or the last, cut but for what is `kept`. Measured only when they are others. */
function fitWords(node, texts, room, kept) {
  var wanted = texts.join("\n");
  if (node.fittedOf === wanted) {
    return;
  }
  var last = texts.length - 1;
  texts.some(function (text, position) {
    fitText(node, text, room, position === last ? kept : "");
    return position === last || node.textContent === text;
  });
  node.fittedOf = node.fitted === null && wanted ? null : wanted; // as there, where nothing could be measured
}

function boxed(box, attributes) {
  return Object.assign({ x: box[0], y: box[1], width: box[2] - box[0], height: box[3] - box[1] }, attributes);
}

function grown(box, by) {
  return [box[0] - by, box[1] - by, box[2] + by, box[3] + by];
}
