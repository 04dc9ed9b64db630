/* Placing zones and passages on a picture. data is {items: [{id, name, kind, about, between}], placed: {kind: {id: {x,
 * y}}}, picture, size, revision}. What is placed stays here until it is kept, also where a rerun brings other data. */

var KINDS = ["zones", "passages"];
var BESIDE = 0.06; // share of the picture between two that nobody has moved yet

function planEditor(parent, send) {
  var root = element("div", "headroom plan-editor", parent);
  element("p", "note", root).textContent = EDITOR_WORDS.how;
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
  var keep = button(bar, EDITOR_WORDS.keep, function () {
    send({ before: base.revision, placed: draft });
  });
  keep.classList.add("primary");
  var keepMine = button(bar, EDITOR_WORDS.keepMine, function () {
    send({ before: data.revision, placed: draft });
  });
  var takeTheirs = button(bar, EDITOR_WORDS.takeTheirs, begin);
  var lists = element("div", "lists", root);
  var data = null;
  var base = null; // the data with which the draft began
  var draft = null;
  var drawn = ""; // the items of what stands on the page
  var markers = {};

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

  function begin() {
    base = data;
    draft = {};
    KINDS.forEach(function (kind) {
      draft[kind] = Object.assign(Object.create(null), data.placed[kind]);
    });
    arrange();
  }

  function arrange() {
    Object.keys(markers).forEach(function (key) {
      markers[key].remove();
    });
    markers = {};
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
    element("span", "about", words).textContent = item.about;
    var press = button(row, "", function () {
      if (draft[item.kind][item.id]) {
        takeOff();
      } else {
        draft[item.kind][item.id] = freeSpot(item);
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
    show();
  }

  /* Between the zones of a passage, else in the middle; not on another marker. */
  function freeSpot(item) {
    var near = item.between
      .map(function (id) {
        return draft.zones[id];
      })
      .filter(Boolean);
    var x = near.length ? mean(near, "x") + (near.length < 2 ? BESIDE : 0) : 0.5;
    var y = near.length ? mean(near, "y") : 0.5;
    for (var tries = 0; tries < 40 && isTaken(x, y); tries += 1) {
      x = x + BESIDE > 1 ? BESIDE : x + BESIDE;
      y = tries % 8 === 7 ? (y + BESIDE) % 1 : y;
    }
    return { x: share(x), y: share(y) };
  }

  function isTaken(x, y) {
    return KINDS.some(function (kind) {
      return Object.keys(draft[kind]).some(function (id) {
        return Math.hypot(draft[kind][id].x - x, draft[kind][id].y - y) < BESIDE / 2;
      });
    });
  }

  function tell() {
    var isKept = isSame(draft, data.placed);
    var isOvertaken = !isKept && base.revision !== data.revision;
    keep.hidden = isKept || isOvertaken;
    keepMine.hidden = takeTheirs.hidden = !isOvertaken;
    var isEmpty = KINDS.every(function (kind) {
      return !Object.keys(draft[kind]).length;
    });
    var kept = isEmpty ? EDITOR_WORDS.nothing : EDITOR_WORDS.kept;
    setText(state, isOvertaken ? EDITOR_WORDS.overtaken : isKept ? kept : EDITOR_WORDS.changed);
    bar.setAttribute("data-kept", String(isKept));
  }

  return {
    update: function (next) {
      var isUntouched = !data || isSame(draft, data.placed);
      data = next;
      sheet.style.setProperty("--high", (100 * data.size[1]) / data.size[0] + "%");
      sheet.style.setProperty("--most", (640 * data.size[0]) / data.size[1] + "px");
      if (image.getAttribute("src") !== data.picture) {
        failed.textContent = "";
        image.src = data.picture;
      }
      var items = JSON.stringify(data.items);
      if (isUntouched || isSame(draft, data.placed)) {
        base = data;
        if (!draft || items !== drawn || !isSame(draft, data.placed)) {
          begin();
        }
      } else if (items !== drawn) {
        arrange();
      }
      drawn = items;
      tell();
    },
    close: function () {
      parent.removeChild(root);
    },
  };
}

function button(parent, text, press) {
  var node = element("button", "", parent);
  node.type = "button";
  node.textContent = text;
  node.addEventListener("click", press);
  return node;
}

function mean(spots, side) {
  return (
    spots.reduce(function (sum, spot) {
      return sum + spot[side];
    }, 0) / spots.length
  );
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
