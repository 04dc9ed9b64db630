/* What is pressed twice in a moment is pressed once. The second press would end the run of the first, maybe between
 * what that sent and what shows it: then it is sent twice, or nobody is told that it was. */

const SENDS = "[data-testid=stButton] button";
const OWN = "[data-testid=stElementContainer]";
const KEY = /\bst-key-\S+/;
const STEPS = /\bst-key-(Earlier|Later|newer|older)-/; // one each, however fast
const A_MOMENT = 500; // milliseconds in which two presses are of one hand, and a page has begun to answer

/* Another button that came to stand where the first was is meant as little, if the browser counts the presses as one. */
function pressedOnce() {
  let first = null;
  let waiting = 0;

  function clicked(event) {
    const button = event.target instanceof Element && event.target.closest(SENDS);
    if (!button) {
      return;
    }
    const name = nameOf(button);
    if (STEPS.test(name)) {
      return;
    }
    if (first && (first.name === name || event.detail > 1) && Date.now() < first.until) {
      event.stopImmediatePropagation();
      event.preventDefault();
      return;
    }
    first = { name: name, until: Date.now() + LONGEST_RUN };
    clearTimeout(waiting);
    waiting = setTimeout(look, A_MOMENT);
  }

  function look() {
    if (document.querySelector(AT_WORK)) {
      waiting = setTimeout(look, LOOK_AGAIN);
    } else {
      first = null;
    }
  }

  window.addEventListener("click", clicked, true);
  return () => {
    clearTimeout(waiting);
    window.removeEventListener("click", clicked, true);
  };
}

function nameOf(button) {
  const own = button.closest(OWN);
  const key = own && own.className.match(KEY);
  return key ? key[0] : button.innerText;
}
