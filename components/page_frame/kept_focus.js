/* The focus of a keyboard when what it stood on goes: with the page, or as the page is drawn anew. */

const AT_WORK = "[data-testid=stApp]:not([data-test-script-state=notRunning])";
const HEADINGS = PAGE + " :is(h1, h2, h3)";
const TOUR_STEPS = ".st-key-tour a"; // stand on each page that they lead to, and are drawn anew there
const LONGEST_RUN = 60000; // milliseconds in which a page answers what was pressed
const LOOK_AGAIN = 150;

/* Whoever pressed something with the keyboard that is gone afterwards goes on at the heading of the new page, or, where
 * the address is the same, at the heading below which it was: else a reader would be told nothing. Who takes one step
 * after the other goes on at the next. */
function focusOfWhatGoes() {
  let byKeyboard = false;
  let waiting = 0;

  function pressed() {
    byKeyboard = true;
  }

  function pointed() {
    byKeyboard = false;
    clearTimeout(waiting);
  }

  function clicked(event) {
    if (event.detail === 0 && byKeyboard) {
      watch(event.target);
    }
  }

  function wentBack() {
    if (byKeyboard) {
      watch(null);
    }
  }

  function watch(target) {
    const headings = target ? Array.from(document.querySelectorAll(HEADINGS)) : [];
    const above = headings.filter((one) => one.compareDocumentPosition(target) & Node.DOCUMENT_POSITION_FOLLOWING);
    const step = target && target.closest(TOUR_STEPS);
    const left = {
      address: target && location.href,
      heading: above.pop(),
      step: step && step.textContent,
      until: Date.now() + LONGEST_RUN,
      gone: 0,
    };
    clearTimeout(waiting);
    waiting = setTimeout(look, LOOK_AGAIN, left);
  }

  /* Twice in a row: what is pressed is heard a moment later, and so is that a page begins. */
  function look(left) {
    const isGone = document.activeElement === document.body && !document.querySelector(AT_WORK);
    left.gone = isGone ? left.gone + 1 : 0;
    const isSame = left.address === location.href && left.heading && left.heading.isConnected;
    const heading = isSame ? left.heading : document.querySelector(PAGE + " h1");
    const steps = Array.from(document.querySelectorAll(TOUR_STEPS));
    const step = left.step && steps.find((one) => one.textContent === left.step);
    if (left.gone > 1 && step) {
      step.focus();
    } else if (left.gone > 1 && heading) {
      heading.tabIndex = -1;
      heading.dataset.standsIn = ""; // whatever knows better where to go on may take it from there
      heading.focus();
    } else if (Date.now() < left.until) {
      waiting = setTimeout(look, LOOK_AGAIN, left);
    }
  }

  const heard = [
    [document, "keydown", pressed],
    [document, "pointerdown", pointed],
    [document, "click", clicked],
    [window, "popstate", wentBack],
  ];
  heard.forEach(([node, name, hear]) => node.addEventListener(name, hear, true));
  return () => {
    clearTimeout(waiting);
    heard.forEach(([node, name, hear]) => node.removeEventListener(name, hear, true));
  };
}
