/* What opens from a button stands at the end of the page, behind all else that Tab reaches. Who opened it with the
 * keyboard goes on in it; Escape leads back to the button. */

const OPENS = "[data-testid=stPopoverButton]";
const OPENED = "[data-testid=stPopoverBody]";
const REACHED = "input, button, a[href], [tabindex='0']";
const PATIENCE = 2000; // milliseconds in which Streamlit opens it

function keyboardIntoPopovers() {
  function clicked(event) {
    const button = event.detail === 0 && event.target.closest(OPENS);
    if (button) {
      enter(button, Date.now() + PATIENCE);
    }
  }

  function enter(button, until) {
    const first = document.querySelector(OPENED + " :is(" + REACHED + ")");
    if (document.activeElement !== button || Date.now() > until) {
      return;
    }
    if (first) {
      first.focus();
    } else {
      setTimeout(enter, 50, button, until);
    }
  }

  document.addEventListener("click", clicked, true);
  return () => document.removeEventListener("click", clicked, true);
}
