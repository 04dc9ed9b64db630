/* Placing zones and passages on a picture of a floor. data is {items: [{id, name, kind, about, between}], placed: {kind:
 * {id: {x, y}}}, site, picture, size, revision}. What is placed stays here until it is kept, also where a rerun brings
 * other data. */

var KINDS = ["zones", "passages"];

function planEditor(parent, send) {
  var root = element("div", "headroom plan-editor", parent);
  var how = element("p", "note", root);
  element("p", "note", root).textContent = EDITOR_WORDS.ofPassages;
  var sheet = element("div", "sheet", root);
  sheet.setAttribute("role", "group");
  sheet.setAttribute("aria-label", EDITOR_WORDS.sheet);
  var image = element("img", "", sheet);
  image.alt = EDITOR_WORDS.picture;
  image.draggable = false;
  var failed = element("p", "note failed", root);
  image.onerror = function () {
    failed.textContent = EDITOR_WORDS.noPicture;
  };
  var said = element("p", "speech", root);
  said.setAttribute("aria-live", "polite");
  var bar = element("div", "keeping", root);
  var state = element("span", "state", bar);
  state.setAttribute("role", "status");
  state.tabIndex = -1;
  var keep = button(bar, EDITOR_WORDS.keep, function () {
    send({ before: base.revision, placed: draft });
  });
  keep.classList.add("primary");
  var keepMine = button(bar, EDITOR_WORDS.keepMine, function () {
    send({ before: data.revision, placed: draft });
  });
  var takeBack = button(bar, "", begin);
  var lists = element("div", "lists", root);
  var data = null;
  var base = null; // the data with which the draft began
  var draft = null;
  var drawn = ""; // the items of what stands on the page
  var markers = {};
  var rows = [];
  var hadFocus = false; // before something was hidden or drawn anew
  var size = new ResizeObserver(function () {
    Object.keys(markers).forEach(function (key) {
      markers[key].stayWhole();
    });
  });
  size.observe(sheet);

  function isSame(one, other) {
    return KINDS.every(function (kind) {
      var ids = Object.keys(one[kind]);
      return (
        ids.length === Object.keys(other[kind]).length &&
        ids.every(function (id) {
          var spots = [one[kind][id], other[kind][id]];
          return spots[1] && spots[0].x === spots[1].x && spots[0].y === spots[1].y;
        })
      );
    });
  }

  function resume() {
    var found = unkeptPlaces.get(data.site);
    if (found) {
      base = found.base;
      draft = found.draft;
      arrange();
    } else {
      begin();
    }
  }

  function begin() {
    base = data;
    draft = {};
    KINDS.forEach(function (kind) {
      draft[kind] = Object.assign(Object.create(null), data.placed[kind]);
    });
    arrange();
  }

  function arrange() {
    noteFocus();
    Object.keys(markers).forEach(function (key) {
      markers[key].remove();
    });
    markers = {};
    rows = [];
    lists.textContent = "";
    KINDS.forEach(function (kind) {
      var own = data.items.filter(function (item) {
        return item.kind === kind;
      });
      if (own.length) {
        element("h4", "", lists).textContent = EDITOR_WORDS[kind];
        var list = element("ul", "things", lists);
        own.forEach(function (item, position) {
          var coded = Object.assign({ code: kind === "zones" ? letterOf(position) : String(position + 1) }, item);
          rowInto(list, coded);
        });
      }
    });
    tell();
  }

  function rowInto(list, item) {
    var row = element("li", "", list);
    element("span", "code", row).textContent = item.code;
    var words = element("span", "words", row);
    element("span", "name", words).textContent = item.name;
    var about = element("span", "about", words);
    var press = button(row, "", function () {
      if (draft[item.kind][item.id]) {
        takeOff();
      } else {
        draft[item.kind][item.id] = freeSpot(item, draft, sheet.clientWidth);
        show();
        markers[item.kind + item.id].focus();
        tell();
      }
    });

    function takeOff() {
      delete draft[item.kind][item.id];
      show();
      press.focus();
      tell();
    }

    function show() {
      var spot = draft[item.kind][item.id];
      var key = item.kind + item.id;
      if (spot && !markers[key]) {
        markers[key] = markerInto(sheet, item, function (next, spoken) {
          draft[item.kind][item.id] = next;
          setText(said, spoken);
          tell();
        }, takeOff);
      }
      if (spot) {
        markers[key].draw(spot);
      } else if (markers[key]) {
        markers[key].remove();
        delete markers[key];
      }
      press.textContent = spot ? EDITOR_WORDS.takeOff : EDITOR_WORDS.place;
      var name = editorWords(spot ? EDITOR_WORDS.takeItOff : EDITOR_WORDS.placeIt, item);
      press.setAttribute("aria-label", name);
      row.setAttribute("data-placed", String(Boolean(spot)));
    }

    rows.push(function () {
      var isBetween = item.between.length === 2 && !draft[item.kind][item.id] && isPlaced(item.between);
      row.setAttribute("data-between", String(Boolean(isBetween)));
      setText(about, isBetween ? editorWords(EDITOR_WORDS.between, item) : item.about);
    });
    show();
  }

  function isPlaced(zoneIds) {
    return zoneIds.every(function (id) {
      return draft.zones[id];
    });
  }

  function tell() {
    noteFocus();
    var isKept = isSame(draft, data.placed);
    var isOvertaken = !isKept && base.revision !== data.revision;
    keep.hidden = isKept || isOvertaken;
    keepMine.hidden = !isOvertaken;
    takeBack.hidden = isKept;
    setText(takeBack, isOvertaken ? EDITOR_WORDS.takeTheirs : EDITOR_WORDS.undoAll);
    var isEmpty = KINDS.every(function (kind) {
      return !Object.keys(draft[kind]).length;
    });
    var kept = isEmpty ? EDITOR_WORDS.nothing : EDITOR_WORDS.kept;
    setText(state, isOvertaken ? EDITOR_WORDS.overtaken : isKept ? kept : EDITOR_WORDS.changed);
    bar.setAttribute("data-kept", String(isKept));
    setText(how, isEmpty ? EDITOR_WORDS.first : EDITOR_WORDS.how);
    rows.forEach(function (tellRow) {
      tellRow();
    });
    rememberUnkept(data.site, isKept ? null : { base: base, draft: draft });
    holdFocus();
  }

  /* A button that is hidden once it was pressed, and a marker that is drawn anew, lose it. */
  function noteFocus() {
    hadFocus = hadFocus || root.contains(root.getRootNode().activeElement);
  }

  function holdFocus() {
    var focused = root.getRootNode().activeElement;
    if (hadFocus && (!root.contains(focused) || focused.hidden)) {
      state.focus();
    }
    hadFocus = false;
  }

  return {
    update: function (next) {
      var isUntouched = Boolean(data) && isSame(draft, data.placed);
      data = next;
      sheet.style.setProperty("--high", (100 * data.size[1]) / data.size[0] + "%");
      sheet.style.setProperty("--most", (640 * data.size[0]) / data.size[1] + "px");
      if (image.getAttribute("src") !== data.picture) {
        failed.textContent = "";
        image.src = data.picture;
      }
      var items = JSON.stringify(data.items);
      if (!draft) {
        resume();
      } else if (isUntouched || isSame(draft, data.placed)) {
        base = data;
        if (items !== drawn || !isSame(draft, data.placed)) {
          begin();
        }
      } else if (items !== drawn) {
        arrange();
      }
      drawn = items;
      tell();
    },
    close: function () {
      size.disconnect();
      parent.removeChild(root);
    },
  };
}

function button(parent, text, press) {
  var node = element("button", "", parent);
  node.type = "button";
  node.textContent = text;
  node.addEventListener("click", function (event) {
    if (event.detail < 2) { // pressed twice in a moment is pressed once: nothing is placed and taken off
      press();
    }
  });
  return node;
}

const editors = new WeakMap();

export default function ({ data, parentElement, setTriggerValue }) {
  const own = editors.get(parentElement) || {};
  own.send = (kept) => setTriggerValue("keep", kept);
  own.editor = own.editor || planEditor(parentElement, (kept) => own.send(kept));
  editors.set(parentElement, own);
  own.editor.update(data);
  return () => {
    own.editor.close();
    editors.delete(parentElement);
  };
}
