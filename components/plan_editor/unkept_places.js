/* What is placed and not kept yet, by site: the data with which it began, and the draft. It outlives the editor, while
 * somebody folds it away or looks at another page of the dashboard; who leaves the dashboard is warned. */

var unkeptPlaces = new Map();

/* `found` null: all is kept. */
function rememberUnkept(site, found) {
  if (found) {
    unkeptPlaces.set(site, found);
  } else {
    unkeptPlaces.delete(site);
  }
  window[unkeptPlaces.size ? "addEventListener" : "removeEventListener"]("beforeunload", warnOfUnkept);
}

function warnOfUnkept(event) {
  event.preventDefault();
}
