/* Shows the place where it stands, once. The focus that went with what was pressed goes on what stands beside it.
 * `data` is {first, always}: the selector of that; whether to scroll also for who does not use the keyboard. */

const PATIENCE = 60000; // milliseconds in which what was pressed goes
const seen = new WeakSet();

export default function ({ data, parentElement }) {
  if (!seen.has(parentElement)) {
    seen.add(parentElement);
    const place = parentElement.host || parentElement;
    const element = place.closest("[data-testid=stElementContainer]");
    element.style.position = "absolute"; // it takes no room
    element.parentElement.style.position = "relative"; // or it would not move with what scrolls
    place.style.scrollMarginTop = "8rem"; // the page's own head lies over what scrolls
    setTimeout(show, 500, place, element, data); // after the page has been laid out, or the place would move on
  }
}

/* Whether nobody chose to be there: what was pressed is gone, and a heading may stand in for it. */
function isNobodys(focused) {
  return !focused || focused === document.body || "standsIn" in focused.dataset;
}

function show(place, element, data) {
  const pressed = document.activeElement;
  const until = Date.now() + PATIENCE;
  if (data.always) {
    place.scrollIntoView({ block: "start" });
  }
  (function take() {
    // What stood beside a place that is gone may be another's by now: Streamlit fills the same block anew.
    if (!place.isConnected) {
      return;
    }
    const first = element.parentElement.querySelector(data.first);
    if (first && isNobodys(document.activeElement)) {
      if (!first.hasAttribute("tabindex") && first.tagName !== "BUTTON") {
        first.tabIndex = -1;
      }
      first.focus({ preventScroll: true });
      if (!data.always && first.matches(":focus-visible")) {
        place.scrollIntoView({ block: "start" });
      }
    } else if ((document.activeElement === pressed || isNobodys(document.activeElement)) && Date.now() < until) {
      setTimeout(take, 100);
    }
  })();
}
