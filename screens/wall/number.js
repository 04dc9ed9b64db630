/* A number as large as it goes, and the places that are left. */

var DIGITS_UPRIGHT = 3; // of a number at full size on an upright screen, where more leave the words too small

function numberDrawing(config) {
  var node = element("section", "view number-view");
  var item = config.feeds[0];
  var inner = element("div", "inner", node);
  var number = element("p", "number", inner);
  var unit = element("p", "unit", inner);
  var facts = element("div", "facts", inner);
  var level = levelInto(facts);
  var places = element("p", "places", facts);
  var share = element("p", "share", facts);
  var missing = element("p", "missing", inner);
  var fit = fitting(node, function () {
    return isInside(inner, node);
  });

  return {
    node: node,
    draw: function (link, options) {
      var view = viewOf(item, link, options);
      markUp(node, view);
      drawNumber(number, view);
      shrinkNumber(node, DIGITS_UPRIGHT);
      setText(unit, view.inside === null ? "" : isCurrent(view) ? WORDS.inside : WORDS.lastKnown);
      level.icon.parentNode.hidden = !item.capacity && view.level !== "closed";
      drawLevel(level, item, view, options);
      setText(places, placesWords(item, view));
      setText(share, shareWords(item, view));
      setText(missing, missingWords(item, link, view).join(", "));
      facts.hidden = missing.textContent !== "";
      fit(inner.textContent.replace(/\d/g, "0"));
    },
  };
}

function drawNumber(node, view) {
  setText(node, view.inside === null ? NO_NUMBER : view.format.number(view.inside));
}
