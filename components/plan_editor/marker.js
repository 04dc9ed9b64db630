/* One marker on the picture: a button that is dragged, or moved with the arrow keys. Its middle stands on its spot; near
 * the edge of the picture it stays on that whole, and ticks on its rim tell the spot. */

var STEPS = { usual: 0.005, large: 0.05 }; // shares of the picture
var WITHIN = 2; // pixels of the picture around a marker at its edge
var ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/* `item` has a code, a letter or a number; `moved(spot)` and `takenOff()` are told of what a person did. */
function markerInto(sheet, item, moved, takenOff) {
  var node = document.createElement("button");
  node.type = "button";
  node.className = "marker of-" + item.kind;
  var code = node.appendChild(document.createElement("span"));
  code.className = "code";
  code.textContent = item.code;
  var name = node.appendChild(document.createElement("span"));
  name.className = "name";
  name.textContent = item.name;
  sheet.appendChild(node);
  var spot = null;
  var held = null;

  function draw(next) {
    spot = next;
    node.style.left = 100 * spot.x + "%";
    node.style.top = 100 * spot.y + "%";
    node.setAttribute("aria-label", spoken());
    stayWhole();
  }

  /* Measured anew whenever the picture is another size; one that is folded away measures nothing. */
  function stayWhole() {
    var across = inward(spot.x, sheet.clientWidth, node.offsetWidth);
    var down = inward(spot.y, sheet.clientHeight, node.offsetHeight);
    node.style.setProperty("--inward-x", across + "px");
    node.style.setProperty("--inward-y", down + "px");
    node.setAttribute("data-inward", (across ? "x" : "") + (down ? "y" : ""));
  }

  function spoken() {
    var where = editorWords(EDITOR_WORDS.where, { x: Math.round(100 * spot.x), y: Math.round(100 * spot.y) });
    return editorWords(EDITOR_WORDS.marker[item.kind], { name: item.name }) + ", " + where;
  }

  function go(x, y) {
    draw({ x: share(x), y: share(y) });
    moved(spot, spoken());
  }

  node.addEventListener("pointerdown", function (event) {
    if (event.button) {
      return;
    }
    var room = sheet.getBoundingClientRect();
    held = { x: event.clientX - spot.x * room.width, y: event.clientY - spot.y * room.height };
    node.setPointerCapture(event.pointerId);
    node.classList.add("held");
  });
  node.addEventListener("pointermove", function (event) {
    if (held) {
      var room = sheet.getBoundingClientRect();
      go((event.clientX - held.x) / room.width, (event.clientY - held.y) / room.height);
    }
  });
  ["pointerup", "pointercancel"].forEach(function (kind) {
    node.addEventListener(kind, function () {
      held = null;
      node.classList.remove("held");
    });
  });
  node.addEventListener("keydown", function (event) {
    var direction = ARROWS[event.key];
    if (direction && !event.altKey && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      var step = event.shiftKey ? STEPS.large : STEPS.usual;
      go(spot.x + step * direction[0], spot.y + step * direction[1]);
    } else if (event.key === "Delete" || event.key === "Backspace") {
      event.preventDefault();
      takenOff();
    }
  });
  return {
    draw: draw,
    stayWhole: stayWhole,
    focus: function () {
      node.focus();
    },
    remove: function () {
      sheet.removeChild(node);
    },
  };
}

/* Within the picture, in ten-thousandths, as it is kept. */
function share(value) {
  return Math.round(10000 * Math.max(0, Math.min(1, value))) / 10000;
}

/* Pixels by which a marker of that length stands beside its spot, so that none of it leaves the picture. */
function inward(part, room, length) {
  var before = part * room - length / 2 - WITHIN;
  var after = (1 - part) * room - length / 2 - WITHIN;
  return length + 2 * WITHIN > room ? 0 : Math.round(before < 0 ? -before : after < 0 ? after : 0);
}
