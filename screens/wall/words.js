/* The words of a screen. The page brings those of its own language. */

/* Puts them into WORDS, in the place of the gauge's own; the locale with which numbers and times are written:
 * English ones with a clock of 24 hours. */
function speak(language, words) {
  Object.assign(WORDS, words);
  Object.keys(WORDS).forEach(function (name) {
    WORDS[name] = WORDS[name].replace(/\{(n|entrances|exits)\} /g, "{$1}\u00a0"); // no line ends between a number and what it counts
  });
  tellsReasons = false;
  tongue = language;
  return language === "en" ? "en-GB" : language;
}

/* The words of the levels, or of the light: its own first. */
function levelWords(prefix, own) {
  var words = {};
  ["free", "filling", "full", "unknown", "closed"].forEach(function (name) {
    words[name] = (own && own[name]) || WORDS[prefix + name.charAt(0).toUpperCase() + name.slice(1)] || WORDS[name];
  });
  return words;
}
