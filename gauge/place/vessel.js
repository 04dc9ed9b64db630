/* A zone as a card that fills from below like a vessel: to its share of its capacity, in the colour of its level, with
 * the number and the word beside it. Without a share that one can stand by there is no level to be seen. */

var INSIDE_CARD = 10; // pixels between the edge of a card and its words
var RIM = { rx: 8, half: 1.25 }; // radius of the corners and half the width of the rim, pixels
var LOW = 70; // pixels: a card that is lower has two lines
var LOW_NUMBER = 44; // pixels for the number in such a card
var SMALL = 80; // pixels: a narrower card has a letter in the place of its name, and no words
var DISC = 40; // pixels: what is narrower is a disc with its letter alone
var THRESHOLD = 7; // pixels: length of the mark at which a level begins

/* `mark` is the letter of a small card, which a list explains; the smallest is a disc of it alone. */
function zoneCard(svg, item, box, mark) {
  var own = item.href ? { class: "zone", href: item.href } : { class: "zone fold", role: "img" };
  var node = svgElement(item.href ? "a" : "g", own);
  var title = titleInto(node, "title", item.whole_title || item.title);
  var isLow = box[3] - box[1] < LOW;
  var isSmall = box[2] - box[0] < SMALL;
  var isDisc = box[2] - box[0] < DISC;
  var radius = isDisc ? (box[2] - box[0]) / 2 : RIM.rx;
  var left = box[0] + INSIDE_CARD;
  var room = box[2] - box[0] - 2 * INSIDE_CARD;
  node.appendChild(svgElement("rect", boxed(grown(box, 4), { rx: radius + 3, class: "ring" })));
  node.appendChild(svgElement("rect", boxed(box, { rx: radius, class: "ground" })));
  var vessel = vesselInto(node, box, radius);
  node.appendChild(svgElement("rect", boxed(box, { rx: radius, class: "rim" })));
  var name = textInto(node, left, box[1] + (isLow ? 17 : 19), "name");
  var number = textInto(node, left, box[1] + (isLow ? 39 : 46), isLow ? "number low" : "number");
  var icon = iconInto(node);
  // In a low card the level stands beside the number, in a high one below it.
  var wordLeft = isSmall ? box[2] - INSIDE_CARD - 14 : left + (isLow ? LOW_NUMBER : 0);
  var wordBottom = box[1] + (isSmall ? 17 : isLow ? 38 : 68);
  ["x", "y", "width", "height"].forEach(function (attribute, position) {
    icon.setAttribute(attribute, [wordLeft, wordBottom - 11, 13, 13][position]);
  });
  var word = textInto(node, wordLeft + 18, wordBottom, "word");
  if (isDisc) {
    icon.style.display = "none";
    name.setAttribute("x", (box[0] + box[2]) / 2);
    name.setAttribute("y", (box[1] + box[3]) / 2 + 5);
    name.setAttribute("text-anchor", "middle");
  }
  svg.appendChild(node);

  /* In a low card the share alone; there is none where no capacity is known. */
  function wordsOf(view, options) {
    var share = shortZoneWords(view);
    return (isLow ? [share] : [zoneWords(view, options)].concat(share || [])).concat("");
  }

  var titles = titlesOf(item);

  function drawZone(link, options) {
    var view = item.members ? foldedView(item, link, options) : viewOf(item, link, options);
    markUp(node, view);
    setText(title, sentenceOf(item, view, options)); // what the link is called, too
    vessel.draw(filledPart(view), view.share === null || isDisc ? null : view.thresholds);
    fitWords(name, isSmall ? [mark] : titles, isDisc ? box[2] - box[0] : room, !isSmall && titles.length > 1 ? countOf(item) : "");
    if (isDisc) {
      return;
    }
    setIcon(icon, LEVEL_ICONS[view.level]);
    var people = view.inside === null ? NO_NUMBER : view.format.number(view.inside);
    // Whole, without the word of the level, which the icon tells, or not at all: half of a number is another one.
    fitWords(number, [people, "…"], isLow && !isSmall ? LOW_NUMBER - 4 : room);
    if (!isSmall) {
      fitWords(word, wordsOf(view, options), left + room - wordLeft - 18);
    }
  }
  return { draw: drawZone };
}

/* Of a card that stands for several zones: all of them together; nothing while one of them cannot be stood by. */
function foldedView(item, link, options) {
  var views = item.members.map(function (member) {
    return viewOf(member, link, options);
  });
  var missing = views.filter(function (view) {
    return view.inside === null || !view.freshness.isTrusted;
  })[0];
  var inside = missing
    ? null
    : views.reduce(function (sum, view) {
        return sum + view.inside;
      }, 0);
  var share = shareOf(inside, item.capacity);
  var level = levelOf(share, options.thresholds, !missing);
  var own = { inside: inside, share: share, level: level, thresholds: options.thresholds, opensAt: null };
  return toldClosed(Object.assign({}, missing || views[0], own), item.members[0], options);
}

/* How much of a card is full, 0 to 1; null where no level may be shown. */
function filledPart(view) {
  var isKnown = view.share !== null && view.freshness.isTrusted;
  return isKnown ? Math.max(0, Math.min(1, view.share / 100)) : null;
}

/* As it stands in its card. How many zones a card stands for is not cut: its number is their sum. */
function titlesOf(item) {
  var end = item.members ? item.title.lastIndexOf(" (") : -1;
  return end < 0 ? [item.title] : [item.title, item.title.slice(0, end) + countOf(item)];
}

function countOf(item) {
  return " (" + item.members.length + ")";
}

/* What is in a card: it slides up and down behind a window as large as the inside of the rim. */
function vesselInto(node, box, radius) {
  var inner = grown(box, -RIM.half);
  var height = inner[3] - inner[1];
  var id = "headroom-vessel-" + (vesselInto.count += 1); // a wall has one document for all of its views
  var opening = svgElement("clipPath", { id: id });
  opening.appendChild(svgElement("rect", boxed(inner, { rx: radius - RIM.half })));
  node.appendChild(opening);
  var frame = svgElement("g", { "clip-path": "url(#" + id + ")" });
  var content = svgElement("g", { class: "content" });
  content.appendChild(svgElement("rect", boxed(inner, { class: "liquid" })));
  content.appendChild(svgElement("rect", boxed([inner[0], inner[1], inner[2], inner[1] + 2], { class: "surface" })));
  var marks = ["filling", "full"].map(function () {
    return frame.appendChild(svgElement("path", { class: "threshold" }));
  });
  frame.insertBefore(content, marks[0]);
  node.appendChild(frame);
  content.style.transform = "translateY(" + (height + 2) + "px)"; // empty: it must not be seen to run out at first
  var shown = "";

  return {
    /* `part` of the card, and {filling, full} in percent; null: no level, or nothing to measure it by. */
    draw: function (part, thresholds) {
      var wanted = JSON.stringify([part, thresholds]);
      if (wanted === shown) {
        return;
      }
      shown = wanted;
      node.setAttribute("data-filled", part === null ? "" : String(Math.round(100 * part)));
      content.style.transform = "translateY(" + (part === null ? height + 2 : height * (1 - part)).toFixed(1) + "px)";
      content.style.visibility = part > 0 ? "" : "hidden";
      marks.forEach(function (mark, position) {
        var percent = thresholds && (position ? thresholds.full : thresholds.filling);
        var y = inner[3] - (height * (percent || 0)) / 100;
        mark.setAttribute("d", percent ? "M" + inner[2] + " " + y + "h-" + THRESHOLD : "");
      });
    },
  };
}
vesselInto.count = 0;

/* How full; what keeps the number from being trusted; or that there is nothing to measure it against. */
function zoneWords(view, options) {
  if (view.level === "closed") {
    return options.levels.closed.word;
  }
  if (!view.freshness.isTrusted) {
    return view.freshness.word;
  }
  if (view.share === null) {
    return PLACE_WORDS.noCapacity;
  }
  return options.levels[view.level].word + ", " + percentWords(view.share, view.format);
}

/* In a few letters: the share alone, as the icon tells the level. */
function shortZoneWords(view) {
  if (!view.freshness.isTrusted) {
    return view.freshness.word;
  }
  return view.share === null ? "" : percentWords(view.share, view.format);
}
