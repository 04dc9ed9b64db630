/* What the tab keeps from one page to the next. A browser may keep nothing, which stops no page. */

/* The text under this name; null where there is none. */
function keptText(name) {
  try {
    return sessionStorage.getItem(name);
  } catch (error) {
    return null;
  }
}

/* Keeps the text under this name; tells whether the browser does. */
function keepText(name, text) {
  try {
    sessionStorage.setItem(name, text);
    return true;
  } catch (error) {
    return false;
  }
}
