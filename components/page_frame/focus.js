/* Where the focus goes, in what opens from a button and in a navigation that lies on the page. */

const OPENS = "[data-testid=stPopoverButton]";
const OPENED = "[data-testid=stPopoverBody]";
const REACHED = "input, button, a[href], [tabindex='0']";
const SCROLLED = ".stDataFrame .dvn-scroller:not([tabindex])";
const PATIENCE = 2000; // milliseconds in which Streamlit opens it
const OVER_THE_PAGE = "(max-width: 767.98px)"; // Streamlit's own bound
const MENU = ".stSidebar[data-collapsed=false]";
const PAGE_LINK = "[data-testid=stSidebarNavLink]";
const FOLD = "[data-testid=stSidebarCollapseButton] button";
const UNFOLD = "[data-testid=stExpandSidebarButton]";
const PAGE = "[data-testid=stMain]";
const KEPT = "stSidebarCollapsed-"; // what Streamlit's own entries begin with

/* What a long table of Streamlit's scrolls in has no name, and Chromium would stop at it before the table itself, which
 * scrolls by the arrow keys. */
function oneStopOfTables() {
  function pressed(event) {
    if (event.key === "Tab") {
      document.querySelectorAll(SCROLLED).forEach((one) => {
        one.tabIndex = -1;
      });
    }
  }

  document.addEventListener("keydown", pressed, true);
  return () => document.removeEventListener("keydown", pressed, true);
}

/* What opens from a button stands at the end of the page, behind all else that Tab reaches. Who opened it with the
 * keyboard goes on in it; Escape leads back to the button. */
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

/* On a narrow page Streamlit's navigation lies on the page. Opened, it takes the focus, which Streamlit loses; it goes
 * once a page is chosen, with Escape, or as the focus leaves it. Whether it was open is kept for no later visit. */
function navigationOffNarrowPages() {
  let waiting = 0;

  function clicked(event) {
    if (!matchMedia(OVER_THE_PAGE).matches) {
      return;
    }
    if (event.target.closest(PAGE_LINK)) {
      setTimeout(leave, 0, PAGE); // once Streamlit has heard of it
    } else if (event.target.closest(UNFOLD)) {
      focus(PAGE_LINK);
    } else if (event.target.closest(FOLD)) {
      focus(UNFOLD);
    }
    setTimeout(forget, 0);
  }

  function pressed(event) {
    if (event.key === "Escape" && openMenu()) {
      leave(UNFOLD);
    }
  }

  function focused(event) {
    const menu = openMenu();
    if (menu && menu.contains(event.relatedTarget) && !menu.contains(event.target)) {
      leave("");
    }
  }

  function openMenu() {
    return matchMedia(OVER_THE_PAGE).matches && document.querySelector(MENU);
  }

  /* The focus goes on `to`; empty: it stays. */
  function leave(to) {
    const fold = openMenu() && document.querySelector(FOLD);
    if (fold) {
      fold.click();
    }
    focus(to);
  }

  /* As soon as it is there. */
  function focus(selector, until = Date.now() + PATIENCE) {
    clearTimeout(waiting);
    const found = selector && document.querySelector(selector);
    if (found) {
      found.focus({ preventScroll: true });
    }
    if (selector && document.activeElement !== found && Date.now() < until) {
      waiting = setTimeout(focus, 50, selector, until);
    }
  }

  function forget() {
    try {
      Object.keys(localStorage)
        .filter((key) => key.startsWith(KEPT))
        .forEach((key) => localStorage.removeItem(key));
    } catch {
      // The browser keeps nothing for the page.
    }
  }

  const heard = { click: clicked, keydown: pressed, focusin: focused };
  const listen = (verb) => Object.keys(heard).forEach((name) => document[verb](name, heard[name], true));
  listen("addEventListener");
  return () => {
    clearTimeout(waiting);
    listen("removeEventListener");
  };
}
