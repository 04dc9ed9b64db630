/* What the colours and the arrows of a graph mean. */

function legendInto(root) {
  var node = element("p", "legend", root);
  var drawn = null;
  return {
    draw: function (link, options) {
      var wanted = JSON.stringify(options.thresholds);
      if (wanted === drawn) {
        return;
      }
      drawn = wanted;
      node.textContent = "";
      ["free", "filling", "full", "unknown"].forEach(function (level) {
        var mark = element("span", "mark-of-level", node);
        mark.setAttribute("data-level", level);
        setIcon(iconInto(mark), LEVEL_ICONS[level]);
        element("span", "", mark).textContent = levelWords(level, options);
      });
      element("span", "forward", node).textContent = [SITE_WORDS.arrow, SITE_WORDS.opens].filter(Boolean).join(" ");
    },
  };
}

function levelWords(level, options) {
  var sentence = { free: SITE_WORDS.below, unknown: SITE_WORDS.unknown }[level] || SITE_WORDS.from;
  var percent = level === "full" ? options.thresholds.full : options.thresholds.filling;
  return fillIn(sentence, { word: options.levels[level].word, percent: percent });
}

function fillIn(sentence, values) {
  return sentence.replace(/\{(\w+)\}/g, function (whole, key) {
    return values[key];
  });
}

function heading(root, text) {
  element("h3", "heading", root).textContent = text;
}
