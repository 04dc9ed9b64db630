/* What differs where a place is drawn on a picture of its floor: the ground below, and letters for zones without room. */

var PICTURE_AGAIN = 20000; // milliseconds until a picture that did not come is asked for again

/* `picture` is its address; none: the outline of the site. */
function groundInto(svg, box, picture) {
  if (!picture) {
    outlineInto(svg, box);
    return;
  }
  svg.appendChild(svgElement("rect", boxed(box, { class: "paper" })));
  // Within an image element a browser runs no script of an SVG and loads nothing that it names.
  var image = svgElement("image", boxed(box, { class: "picture", href: picture, preserveAspectRatio: "none" }));
  image.setAttribute("aria-hidden", "true");
  svg.appendChild(image);
  svg.appendChild(svgElement("rect", boxed(box, { class: "scrim" })));
  var middle = { x: (box[0] + box[2]) / 2, y: box[1] + 18, "text-anchor": "middle", class: "outside" };
  var words = svg.appendChild(svgElement("text", middle));
  askAgain(image, picture, words);
}

/* Whoever hangs for months has met a restart: a picture that did not come is asked for again. */
function askAgain(image, picture, words) {
  var tries = 0;
  image.addEventListener("load", function () {
    setText(words, "");
  });
  image.addEventListener("error", function () {
    setText(words, PLACE_WORDS.noPicture);
    tries += 1;
    setTimeout(function () {
      if (image.parentNode && image.parentNode.parentNode) {
        image.setAttribute("href", picture + "#" + tries); // another one, or a browser would not ask
      }
    }, PICTURE_AGAIN);
  });
}

/* From cards that stand beside their spots to those. */
function leadersInto(svg, leaders) {
  leaders.forEach(function (ends) {
    var line = { x1: ends[0][0], y1: ends[0][1], x2: ends[1][0], y2: ends[1][1], class: "leader" };
    svg.appendChild(svgElement("line", line));
    svg.appendChild(svgElement("circle", { cx: ends[1][0], cy: ends[1][1], r: 2.5, class: "spot" }));
  });
}

/* A to Z, then AA: passages have numbers. */
function letterOf(position) {
  var last = String.fromCharCode(65 + (position % 26));
  return position < 26 ? last : letterOf(Math.floor(position / 26) - 1) + last;
}

/* The zones with what is inside, where the cards have letters alone. */
function lettersInto(parent, graph) {
  var list = element("ul", "ways letters", parent);
  var entries = [];
  return {
    fill: function (drawing) {
      list.textContent = "";
      list.hidden = !graph.picture || drawing.detail > 0;
      entries = list.hidden
        ? []
        : graph.zones.map(function (item, position) {
            var entry = element("li", "", list);
            element("span", "number", entry).textContent = letterOf(position);
            return element("span", "", entry);
          });
    },
    draw: function (link, options) {
      entries.forEach(function (entry, position) {
        var item = graph.zones[position];
        setText(entry, sentenceOf(item, viewOf(item, link, options), options));
      });
    },
  };
}
