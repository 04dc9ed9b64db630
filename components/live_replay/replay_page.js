/* One recorded day of a site: the mark that says so, the player, the gauge, and the graph of the zones. */

var LINK_EVERY = 1000; // milliseconds between two times that are written to the link

function arrangePage(root, options) {
  var item = options.items[0];
  root.classList.add("replay");
  element("h2", "what", root).textContent = replayWords("curveSpoken", { day: options.replay.day });
  var player = playerInto(element("section", "player", root), item, options);
  var stage = element("div", "replay-stage", root);
  var hero = heroDrawing(item);
  stage.appendChild(hero.node);
  var facts = hero.node.querySelector(".facts");
  var drawings = [player, hero, todayFactsInto(facts, facts.querySelector(".freshness"), item)];
  if (options.graph.drawings.length) {
    var place = element("div", "replay-place", stage);
    heading(place, SITE_WORDS.zonesAndPassages);
    if (options.graph.drawn_as) {
      drawings.push(drawnAsInto(place, options.graph));
    }
    drawings.push(graphInto(element("div", "graph-frame", place), options.graph));
    drawings.push(legendInto(place), graphPictureInto(place, item, options.graph));
  }
  if (options.graph.note) {
    element("p", "note", root).textContent = options.graph.note;
  }
  return drawings;
}

function playerInto(section, item, options) {
  section.setAttribute("aria-label", REPLAY_WORDS.group);
  var bar = element("div", "replay-bar", section);
  var mark = element("p", "replay-mark", bar);
  setIcon(iconInto(mark), "replay");
  element("strong", "", mark).textContent = REPLAY_WORDS.replay;
  element("span", "replay-day", mark).textContent = options.replay.day;
  var clock = element("strong", "replay-clock", mark);
  var controls = element("div", "replay-controls", bar);
  controls.setAttribute("role", "group");
  var player = null;
  var button = buttonInto(controls, "play", function () {
    player[player.isPlaying ? "pause" : "play"]();
    keep();
  });
  var speeds = SPEEDS.map(function (times) {
    var speed = buttonInto(controls, "speed", function () {
      player.setSpeed(times);
      keep();
    });
    speed.textContent = replayWords("times", { n: times });
    speed.setAttribute("aria-label", replayWords("timesSpoken", { n: times }));
    return speed;
  });
  var curve = curveInto(section, item, function (time) {
    player.seek(time);
    keep();
  });
  section.addEventListener("keydown", function (event) {
    if (event.key === " " && event.target.type === "range") {
      event.preventDefault();
      button.click();
    }
  });
  var keep = linkKeeper(options.replay.linked_day, function () {
    return { at: timeInLink(player.recording, player.position), speed: String(player.speed) };
  });

  return {
    draw: function (link, drawn) {
      player = link.player;
      var format = formatFor(drawn.locale, item.timezone, link.serverNow());
      var zone = placeOf(format.zone);
      setText(clock, replayWords("until", { time: format.time(player.position), zone: zone }));
      setText(button, player.isPlaying ? REPLAY_WORDS.pause : REPLAY_WORDS.play);
      speeds.forEach(function (speed, position) {
        speed.setAttribute("aria-pressed", String(SPEEDS[position] === player.speed));
      });
      curve.draw(link, drawn);
    },
    close: function () {
      keep.cancel();
    },
  };
}

function buttonInto(parent, kind, pressed) {
  var button = element("button", kind, parent);
  button.type = "button";
  button.addEventListener("click", pressed);
  return button;
}

/* Writes what somebody has set of `day` (2026-11-28) to the address of the page, without a step to go back: never to
 * that of another day, whose replay may still be on its way when its day stands in the address. */
function linkKeeper(day, read) {
  var timer = null;
  function keep() {
    clearTimeout(timer);
    timer = setTimeout(function () {
      var address = new URL(location.href);
      if (address.searchParams.get("day") !== day) {
        return;
      }
      var values = read();
      Object.keys(values).forEach(function (name) {
        address.searchParams.set(name, values[name]);
      });
      history.replaceState(history.state, "", address);
    }, LINK_EVERY);
  }
  keep.cancel = function () {
    clearTimeout(timer);
  };
  return keep;
}
