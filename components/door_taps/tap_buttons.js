/* The words of whoever counts at a door, and its buttons: one counts a tap, one is pressed twice to discard. */

var WORDS = {
  before: "Stand at this door and tap for each who passes. Then it is compared with what the counter told.",
  start: "Start counting",
  in: "In",
  out: "Out",
  into: "into {place}",
  to: "to {place}",
  undo: "Undo: {way}",
  undoNone: "Undo",
  stop: "Stop",
  compare: "Compare with the counter",
  goOn: "Go on counting",
  discard: "Discard",
  discardSure: "Really discard {n}?",
  discardDamaged: "Really discard it?",
  damaged:
    "The count that this browser keeps is damaged, so it can be neither finished nor compared. Of its taps" +
    " {came} in and {went} out can be read: note them if you need them, then discard it.",
  taps: "{n} taps",
  tap: "1 tap",
  countingAt: "Counting at {door}",
  counting: "{span} counted, {whole}.",
  wholeNone: "no whole minute yet",
  wholeIn: " The first whole minute of the clock is over in {span}.",
  wholeNow: " Go on, and one is over at once.",
  tooShort: "Counters tell whole minutes: until one is over there is nothing to compare.",
  wholeOne: "1 whole minute",
  whole: "{n} whole minutes",
  stopped: "You counted {came} in and {went} out in {span}, {whole}.",
  goOnNote: "Go on only if nobody has passed since you stopped.",
  sending: "Being handed over …",
  unsent: "The dashboard does not answer. The count stays in this browser: compare again once you are connected.",
  compared: "The last count is compared and kept: what it came to stands below.",
  heard: "Handed over: what it comes to stands below.",
  elsewhere: "In this browser a count at {door} is not finished ({taps}).",
  goThere: "Go on there",
  awakeOn: "The screen stays on.",
  awakeRefused: "This browser does not keep the screen on now: what you have tapped stays if it locks.",
  awakeNone: "This browser cannot keep the screen on here (it needs HTTPS): what you have tapped stays if it locks.",
  unkept: "This browser keeps nothing: do not reload or close this page before you have compared.",
};
var SURE_FOR = 4000; // milliseconds in which a second press discards

function words(name, values) {
  return WORDS[name].replace(/\{(\w+)\}/g, function (_, key) {
    return values[key];
  });
}

function part(tag, kind, parent, text) {
  var node = document.createElement(tag);
  node.className = kind;
  if (text) {
    node.textContent = text;
  }
  parent.appendChild(node);
  return node;
}

/* Who presses twice at one place in a moment means what stood there first. */
var A_MOMENT = 600; // milliseconds
var NEAR = 24; // pixels
var lastPress = { at: -Infinity };

/* Something else stands there from now on. */
function turned() {
  lastPress.isTurned = true;
}

function isOneTooMany(event, node) {
  var isKey = event.type === "click" && event.detail === 0; // it has no place
  var isThere = isKey
    ? lastPress.key === node
    : Math.abs(event.clientX - lastPress.x) + Math.abs(event.clientY - lastPress.y) < NEAR;
  var isTurned = Boolean(isThere && event.timeStamp - lastPress.at < A_MOMENT && lastPress.isTurned);
  lastPress = { at: event.timeStamp, isTurned: isTurned };
  if (isKey) {
    lastPress.key = node;
  } else {
    lastPress.x = event.clientX;
    lastPress.y = event.clientY;
  }
  return isTurned;
}

function button(kind, parent, text, pressed) {
  var node = part("button", kind, parent, text);
  node.type = "button";
  node.addEventListener("click", function (event) {
    if (!isOneTooMany(event, node)) {
      pressed(event);
    }
  });
  return node;
}

/* What a part of the page says first, where the focus goes as it appears. */
function leadInto(parent, text) {
  var node = part("p", "told", parent, text);
  node.tabIndex = -1;
  return node;
}

function setText(node, text) {
  if (node.textContent !== text) {
    node.textContent = text;
  }
}

/* A tap counts as the finger comes down: two thumbs at once make no click. A click that nothing came down for is one of
 * the keyboard, or of who has the page read aloud. */
function tapButton(kind, parent, way, done) {
  function count() {
    tapped(way);
    if (navigator.vibrate) {
      navigator.vibrate(20);
    }
    done();
  }
  var node = button("tap " + kind, parent, "", function (event) {
    if (event.detail === 0) {
      count();
    }
  });
  part("span", "way", node, WORDS[kind]);
  part("strong", "number", node, "0");
  part("span", "place", node);
  // Heard before the page hears it: Streamlit takes away the first one beside a message of its own.
  function down(event) {
    if (event.button === 0 && event.composedPath().indexOf(node) >= 0 && !isOneTooMany(event, node)) {
      count();
    }
  }
  window.addEventListener("pointerdown", down, true);
  return {
    draw: function (number, place) {
      setText(node.children[1], number);
      setText(node.children[2], place);
    },
    close: function () {
      window.removeEventListener("pointerdown", down, true);
    },
  };
}

function tapsText(count) {
  return count.taps.length === 1 ? WORDS.tap : words("taps", { n: count.taps.length });
}

/* Lies on all else and lets nothing else be reached until it is closed, whatever Streamlit lays on its page meanwhile,
 * such as that there is no connection: a modal dialog is the one thing that is not inert then. */
function sheet(kind, parent) {
  var node = part("dialog", kind, parent);
  var isModal = typeof node.showModal === "function";
  function show(isShown) {
    if (isShown === node.hasAttribute("open")) {
      return;
    }
    if (isModal) {
      node[isShown ? "showModal" : "close"]();
    } else {
      node.toggleAttribute("open", isShown);
    }
  }
  // Escape and a phone's way back end no count.
  node.addEventListener("cancel", function (event) {
    event.preventDefault();
  });
  return { node: node, show: show };
}

function discardButton(parent, done) {
  var timer = null;
  var node = button("quiet", parent, WORDS.discard, function () {
    if (timer) {
      reset();
      keepCount(null);
      done();
    } else {
      var count = readCount();
      setText(node, count ? words("discardSure", { n: tapsText(count) }) : WORDS.discardDamaged);
      turned();
      timer = setTimeout(reset, SURE_FOR);
    }
  });
  function reset() {
    clearTimeout(timer);
    timer = null;
    setText(node, WORDS.discard);
  }
  return node;
}
