/* A number as large as it goes, and the places that are left. */

function numberDrawing(config) {
  var node = element("section", "view number-view");
  var item = config.feeds[0];
  var number = element("p", "number", node);
  var unit = element("p", "unit", node);
  var facts = element("div", "facts", node);
  var level = levelInto(facts);
  var places = element("p", "places", facts);
  var share = element("p", "share", facts);

  return {
    node: node,
    draw: function (link, options) {
      var view = viewOf(item, link, options);
      markUp(node, view);
      drawNumber(number, view);
      setText(unit, view.standing.isTrusted || view.inside === null ? WORDS.inside : WORDS.lastKnown);
      level.icon.parentNode.hidden = !item.capacity;
      drawLevel(level, view, options);
      setText(places, placesWords(item, view));
      setText(share, shareWords(item, view));
    },
  };
}

/* A number with as many digits as fit: the style sheet makes longer ones smaller. */
function drawNumber(node, view) {
  var text = view.inside === null ? NO_NUMBER : view.format.number(view.inside);
  setText(node, text);
  node.setAttribute("data-digits", String(Math.min(text.length, 7)));
}
