/* The gauge of the Live page, as large as leaves a third of the room to its trend. */

var DIGITS_IN_DIAL = 4; // at full size
var TREND_PART = 0.38; // of the height of the view and of its width, at least

function gaugeDrawing(config) {
  var hero = heroDrawing(config.feeds[0]);
  var node = hero.node;
  var facts = node.querySelector(".facts");
  var trend = node.querySelector(".trend");
  var missing = element("p", "missing", facts);
  var fit = fitting(node, function () {
    return (
      (trend.hidden ||
        (trend.offsetHeight >= TREND_PART * node.clientHeight && trend.offsetWidth >= TREND_PART * node.clientWidth)) &&
      node.scrollHeight <= node.clientHeight &&
      node.scrollWidth <= node.clientWidth &&
      facts.scrollWidth <= facts.clientWidth
    );
  });
  node.classList.add("view");
  var level = facts.querySelector(".level");
  return {
    node: node,
    draw: function (link, options) {
      hero.draw(link, options);
      shrinkNumber(node, DIGITS_IN_DIAL);
      var view = viewOf(hero.item, link, options);
      level.hidden = !hero.item.capacity && view.level !== "closed";
      setText(missing, missingWords(hero.item, link, view).join(", "));
      trend.hidden = view.freshness.isSpoilt; // it tells the same number
      node.style.gridTemplateRows = trend.hidden ? "auto" : "";
      fit(facts.innerText.replace(/\d/g, "0"));
    },
  };
}
