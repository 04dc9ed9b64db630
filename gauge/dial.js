/* The arc with the number in its middle, and the two thresholds marked on it. */

var ARC_LENGTH = 100; // the arc's path is measured in percent

function dialInto(parent, isLarge) {
  var node = element("div", "dial", parent);
  var svg = svgElement("svg", { viewBox: "0 -22 200 152", "aria-hidden": "true" });
  var path = "M 22.1 122 A 90 90 0 1 1 177.9 122";
  var arc = { d: path, pathLength: ARC_LENGTH, class: "track" };
  svg.appendChild(svgElement("path", arc));
  var fill = svgElement("path", Object.assign({}, arc, { class: "fill" }));
  svg.appendChild(fill);
  var ticks = svgElement("g", {});
  svg.appendChild(ticks);
  node.appendChild(svg);
  var reading = element("p", "reading", node);
  return {
    node: node,
    fill: fill,
    ticks: ticks,
    number: element("span", "number", reading),
    unit: element("span", "unit", reading),
    isLarge: isLarge,
    marked: "",
  };
}

function drawDial(dial, item, view, options) {
  var filled = view.share === null ? 0 : Math.min(100, Math.max(0, view.share));
  dial.fill.style.strokeDasharray = filled + " " + (ARC_LENGTH + 1);
  dial.fill.style.visibility = filled > 0 ? "visible" : "hidden";
  var number = view.inside === null ? NO_NUMBER : view.format.number(view.inside);
  setText(dial.number, number);
  // Six characters fit into the arc at full size.
  dial.number.style.setProperty("--shrink", Math.min(1, 6 / number.length));
  setText(dial.unit, isCurrent(view) ? WORDS.inside : WORDS.lastKnown);
  drawThresholds(dial, item.capacity ? view.thresholds : null);
  if (dial.isLarge) {
    describeMeter(dial.node, item, view, options);
  }
}

/* Short strokes across the arc where filling and full begin. */
function drawThresholds(dial, thresholds) {
  var wanted = JSON.stringify(thresholds);
  if (dial.marked === wanted) {
    return;
  }
  dial.marked = wanted;
  dial.ticks.textContent = "";
  [thresholds && thresholds.filling, thresholds && thresholds.full].filter(Boolean).forEach(function (percent) {
    var angle = Math.PI * (1.1667 - (1.3333 * Math.min(percent, 100)) / 100);
    var at = function (radius) {
      return { x: 100 + radius * Math.cos(angle), y: 77 - radius * Math.sin(angle) };
    };
    var inner = at(80);
    var outer = at(100);
    var ends = { x1: inner.x, y1: inner.y, x2: outer.x, y2: outer.y, class: "threshold" };
    dial.ticks.appendChild(svgElement("line", ends));
  });
}

function describeMeter(node, item, view, options) {
  var isMeter = view.share !== null;
  node.setAttribute("role", isMeter ? "meter" : "img");
  node.setAttribute("aria-label", isMeter ? item.title : sentenceOf(item, view, options));
  if (isMeter) {
    node.setAttribute("aria-valuemin", "0");
    node.setAttribute("aria-valuemax", String(Math.max(item.capacity, view.inside)));
    node.setAttribute("aria-valuenow", String(view.inside));
    node.setAttribute("aria-valuetext", sentenceOf(item, view, options));
  }
}
