/* For who listens to a page: the state, once it stands, and no number that only changes. */

var ANNOUNCED_AFTER = 5; // seconds that a state stands before it is read aloud

function speechInto(parent, item) {
  var node = element("p", "speech", parent);
  node.setAttribute("aria-live", "polite");
  var spoken = "";
  var seen = "";
  var since = monotonic();
  return {
    draw: function (link, options) {
      var view = viewOf(item, link, options);
      var state = view.freshness.isTrusted ? view.level : view.freshness.word;
      since = state === seen ? since : monotonic();
      seen = state;
      if (seen !== spoken && view.freshness.word !== WORDS.connecting && monotonic() - since >= ANNOUNCED_AFTER) {
        spoken = seen;
        setText(node, joined([sentenceOf(item, view, options), usualWords(item, view, options)]));
      }
    },
  };
}
