/* Titles that are cut where they do not fit: what tells one apart from the others stays in sight. */

var FEWEST_SHARED = 8; // letters; fewer in common stay in sight, too

/* Writes titles[position] into a node of one line, in two parts where it begins as another one does. */
function distinctTitleInto(node, titles, position) {
  var title = titles[position];
  var start = ownStart(title, sharedLetters(titles, position));
  if (node.textContent === title && node.ownStart === start) {
    return;
  }
  node.ownStart = start;
  node.classList.toggle("parted", start > 0);
  node.textContent = start ? "" : title;
  if (start) {
    element("span", "shared", node).textContent = title.slice(0, start);
    element("span", "own", node).textContent = title.slice(start);
  }
}

/* Where the word begins in which a title leaves the others; 0 where it need not be cut before. */
function ownStart(title, shared) {
  var word = title.lastIndexOf(" ", shared - 1) + 1;
  shared -= /[\ud800-\udbff]/.test(title.charAt(shared - 1)) ? 1 : 0; // one sign may be two letters of a script
  if (shared < FEWEST_SHARED || word >= FEWEST_SHARED) {
    return shared < FEWEST_SHARED ? 0 : word;
  }
  return shared < title.length ? shared : 0;
}
