/* The order of places on a page: fullest first, and moved seldom enough to be read. */

var ORDER_EVERY = 60; // seconds between two arrangements
var ORDER_STEP = 5; // points of percent by which a place must be fuller to pass another
var ORDER_PATIENCE = 5; // seconds that the first arrangement waits for places of which nothing is known yet

/* {draw}: arranges the nodes of `drawings`, each {item, node}, which come first in `parent`. What somebody points
 * at, or has reached by keyboard, stays where it is. */
function orderInto(parent, drawings) {
  var order = drawings;
  var begun = monotonic();
  var arranged = null;

  return {
    draw: function (link, options) {
      var now = monotonic();
      var isHeld = parent.matches(":hover") || parent.contains(parent.getRootNode().activeElement);
      if (isHeld || (arranged !== null && now - arranged < ORDER_EVERY)) {
        return;
      }
      var views = new Map();
      drawings.forEach(function (drawing) {
        views.set(drawing, viewOf(drawing.item, link, options));
      });
      order = fullestFirst(
        arranged === null ? drawings : order,
        function (drawing) {
          return fullness(views.get(drawing));
        },
        arranged === null ? 0 : ORDER_STEP
      );
      order.forEach(function (drawing, position) {
        if (parent.children[position] !== drawing.node) {
          parent.insertBefore(drawing.node, parent.children[position]);
        }
      });
      var isComplete = Array.from(views.values()).every(function (view) {
        return !isUnsettled(view.feed);
      });
      arranged = arranged !== null || isComplete || now - begun > ORDER_PATIENCE ? now : null;
    },
  };
}

/* Percent of the capacity; -1 where that is unknown or not to be trusted: such places come last. */
function fullness(view) {
  return view.share === null || !view.freshness.isTrusted ? -1 : view.share;
}

/* `places` in order, where each has passed those before it that are emptier by more than `step`. */
function fullestFirst(places, fullnessOf, step) {
  return places.reduce(function (sorted, place) {
    var full = fullnessOf(place);
    var at = sorted.length;
    while (at > 0 && isPassed(fullnessOf(sorted[at - 1]), full, step)) {
      at -= 1;
    }
    return sorted.slice(0, at).concat([place], sorted.slice(at));
  }, []);
}

function isPassed(before, full, step) {
  return before < 0 ? full >= 0 : full > before + step;
}
