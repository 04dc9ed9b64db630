/* What is being typed when its box is made anew. Streamlit knows what a box stands in by its index on the page: where a
 * warning or a sentence comes above, or goes, the box goes with its letters and the focus, and an empty one stands there. */

const TYPED_INTO = ":is(.stTextInput, .stTextArea, .stNumberInput) :is(input, textarea)";

/* Letters that were taken already, by Enter or as the box was left, are left to Streamlit. */
function lettersOfBoxes() {
  let box = null; // the one that has the focus, or had it when it went
  let own = ""; // selects it, and the one that stands for it
  let isTyped = false;
  let until = 0; // when another one is no longer meant; 0: it is still there

  const watch = new MutationObserver(changed);

  function hold(field) {
    const key = field.closest(OWN)?.className.match(KEY);
    watch.disconnect();
    [box, isTyped, until] = [key ? field : null, false, 0];
    if (box) {
      own = "." + CSS.escape(key[0]) + " " + TYPED_INTO;
      watch.observe(document.body, { childList: true, subtree: true });
    }
  }

  function release() {
    watch.disconnect();
    box = null;
  }

  function entered(event) {
    if (event.target.matches(TYPED_INTO)) {
      hold(event.target);
    } else if (!("standsIn" in event.target.dataset)) {
      release();
    }
  }

  /* What goes may be left by that, too, which is heard before it has gone. */
  function left(event) {
    setTimeout(() => event.target === box && box.isConnected && release(), 0);
  }

  function typed(event) {
    isTyped ||= event.target === box;
  }

  function pressed(event) {
    if (event.key === "Enter" && event.target === box) {
      isTyped &&= box instanceof HTMLTextAreaElement && !event.ctrlKey && !event.metaKey;
    }
  }

  function changed() {
    if (box.isConnected) {
      return;
    }
    until ||= Date.now() + LONGEST_RUN;
    const anew = document.querySelector(own);
    if (Date.now() > until) {
      release();
    } else if (anew) {
      goOnIn(anew, box, isTyped);
    }
  }

  function goOnIn(anew, gone, hasLetters) {
    anew.focus({ preventScroll: true });
    if (hasLetters && anew.value !== gone.value) {
      Object.getOwnPropertyDescriptor(Object.getPrototypeOf(anew), "value").set.call(anew, gone.value);
      anew.dispatchEvent(new Event("input", { bubbles: true }));
    }
    if (gone.selectionStart !== null) {
      anew.setSelectionRange(gone.selectionStart, gone.selectionEnd); // a number has none
    }
  }

  const heard = { focusin: entered, focusout: left, input: typed, keydown: pressed };
  const listen = (verb) => Object.keys(heard).forEach((name) => document[verb](name, heard[name], true));
  listen("addEventListener");
  return () => {
    release();
    listen("removeEventListener");
  };
}
