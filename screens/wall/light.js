/* Enter or wait: one field of colour with its word and its icon, grey as soon as the count is not current. */

var LIGHT_WORD = 14; // percent of the shorter side
var LETTER = 0.6; // width of a bold letter in parts of its height

function lightDrawing(config) {
  var node = element("section", "view light-view");
  var item = config.feeds[0];
  var words = levelWords("light", config.words);
  var icon = iconInto(node);
  var word = element("p", "word", node);
  var places = element("p", "places", node);
  var count = element("p", "count", node);

  return {
    node: node,
    draw: function (link, options) {
      var view = viewOf(item, link, options);
      markUp(node, view);
      setIcon(icon, LEVEL_ICONS[view.level]);
      setText(word, view.standing.isTrusted && !item.capacity ? WORDS.noCapacity : words[view.level]);
      word.style.fontSize = wordSize(word.textContent, node.clientWidth) + "px";
      setText(places, placesWords(item, view));
      setText(count, countWords(view));
    },
  };
}

/* The largest size in pixels at which the longest part of a text stays on one line. */
function wordSize(text, width) {
  var longest = text.split(/\s+/).reduce(function (most, part) {
    return Math.max(most, part.length);
  }, 1);
  return Math.floor(Math.min((LIGHT_WORD * shorterSide()) / 100, (0.9 * width) / (LETTER * longest)));
}

function countWords(view) {
  if (view.inside === null) {
    return "";
  }
  var text = say("insideNow", { n: view.format.number(view.inside) });
  return view.standing.isTrusted ? text : say("lastTime", { text: text });
}

function shorterSide() {
  return Math.min(window.innerWidth, window.innerHeight);
}
