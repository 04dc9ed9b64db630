/* Enter or wait: one field of colour with its word and its icon, grey as soon as the count is not current, and while
 * the place is closed. */

function lightDrawing(config) {
  var node = element("section", "view light-view");
  var item = config.feeds[0];
  var words = levelWords("light", config.words);
  var inner = element("div", "inner", node);
  var icon = iconInto(inner);
  var word = element("p", "word", inner);
  var places = element("p", "places", inner);
  var count = element("p", "count", inner);
  var fit = fitting(node, function () {
    return isInside(inner, node) && word.scrollWidth <= word.clientWidth;
  });

  return {
    node: node,
    draw: function (link, options) {
      var view = viewOf(item, link, options);
      var missing = missingWords(item, link, view);
      var isClosed = view.level === "closed";
      markUp(node, view);
      var isCountOnly = view.freshness.isTrusted && !item.capacity && !isClosed;
      icon.style.display = isCountOnly ? "none" : "";
      setIcon(icon, LEVEL_ICONS[view.level]);
      setText(word, isCountOnly ? countWords(view) : words[view.level]);
      // The word says already that the number is missing; since when stands below it.
      setText(places, placesWords(item, view) || missing[1] || "");
      setText(count, isCountOnly || isClosed ? "" : countWords(view)); // nobody at a closed door needs it
      word.style.setProperty("--shrink", 1);
      fit(inner.textContent.replace(/\d/g, "0"));
      // Long words of one's own are larger than their room even in the smallest letters.
      if (word.scrollWidth > word.clientWidth) {
        word.style.setProperty("--shrink", (0.98 * word.clientWidth) / word.scrollWidth);
      }
    },
  };
}

function countWords(view) {
  if (view.inside === null) {
    return "";
  }
  var text = say("insideNow", { n: view.format.number(view.inside) });
  return view.freshness.isTrusted ? text : say("lastTime", { text: text });
}
