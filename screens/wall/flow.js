/* The zones of a site and the passages between them, as large as the screen allows: cards that fill, lines as wide as
 * people cross, dots for those who do. Where its letters would be too small to be read, a drawing of the categories, and
 * where these would be, or there are none, the cards of the board. */

var SMALLEST_IN_FLOW = { unit: 15, part: 0.016, pixels: 10 }; // of a drawing's letters: of the shorter side; at least

var NAME_ON_WALL = "600 16px"; // as flow.css has it

function flowDrawing(config, options) {
  var node = element("section", "view flow-view");
  var board = null;
  var plans = config.place
    ? config.place.graphs.map(function (graph) {
        return planInto(node, config, graph);
      })
    : [];
  var note = element("p", "note", node);
  var shown = null;
  var size = "";
  var isRead = false;

  speakOfPlace();

  /* The first plan with letters that can be read; null: none has. */
  function fit() {
    var wanted = node.clientWidth + " " + node.clientHeight + " " + shorterSide();
    if (wanted === size || !node.clientWidth) {
      return;
    }
    size = wanted;
    shown = null;
    var room = [node.clientWidth, node.clientHeight - note.offsetHeight];
    plans.forEach(function (plan) {
      plan.node.hidden = Boolean(shown) || !plan.fit(room);
      shown = shown || (plan.node.hidden ? null : plan);
    });
    if (!shown && !board) {
      board = boardDrawing(config, options);
      node.insertBefore(board.node, note);
    }
    if (board) {
      board.node.hidden = Boolean(shown);
    }
    note.hidden = !missing() && (!shown || !(config.place.crossings || shown.notPlaced));
    if (config.place && config.place.asks_for_plan) {
      node.setAttribute("data-plan", isWithoutPlan() ? (shown ? "graph" : "cards") : "shown"); // a preview says so
    }
  }

  /* Whether there is a floor plan, which is not shown. */
  function isWithoutPlan() {
    return Boolean(config.place && config.place.asks_for_plan && !(shown && shown.isOnPlan));
  }

  /* What is not shown for want of room; empty where all is. */
  function missing() {
    return isWithoutPlan() ? WORDS.planTooSmall : plans.length && !shown ? WORDS.drawingTooSmall : "";
  }

  return {
    node: node,
    page: function () {
      return shown || !board ? "" : board.page();
    },
    shown: function () {
      return shown || !board ? config.feeds : board.shown();
    },
    wholeTurn: function () {
      return shown || !board ? 0 : board.wholeTurn();
    },
    /* Cards of zones have no room for it; those of a board do. */
    leavesSince: function () {
      return Boolean(shown);
    },
    isRead: function () {
      return isRead || !shown || !config.place.crossings;
    },
    draw: function (link, flowOptions, shownFor) {
      setText(note, note.textContent || PLACE_WORDS.reading); // its line has a height before it is measured
      fit();
      if (!shown) {
        if (board) {
          board.draw(link, flowOptions, shownFor);
        }
        setText(note, missing() || note.textContent);
        return;
      }
      var found = shown.draw(link, flowOptions);
      isRead = Boolean(found.feed && (found.age !== null || found.feed.reason));
      var unnumbered = config.place.crossings ? shown.unnumbered() : 0;
      var left = [
        missing(),
        unnumbered ? say("linesWithoutNumber", { n: unnumbered }) : "",
        shown.notPlaced ? say("zonesNotOnPlan", { n: shown.notPlaced }) : "",
      ];
      var closed = closedWords(viewOf(config.feeds[0], link, flowOptions));
      setText(note, joined([(found.isTrusted && closed) || flowNote(found)].concat(left)));
    },
  };
}

/* {node, isOnPlan, notPlaced, unnumbered(), fit(room), draw(link, options)} of one graph. */
function planInto(parent, config, plan) {
  var node = element("div", "graph" + (plan.picture ? " plan" : ""), parent);
  var graph = {
    crossings: config.place.crossings,
    timezone: config.feeds[0].timezone,
    ways: plan.ways.map(function (passages) {
      return { passages: passages };
    }),
  };
  var items = plan.cards.map(function (places, position) {
    var members = places.map(function (place) {
      return Object.assign({ whole_title: config.feeds[place].title, href: "" }, config.feeds[place]);
    });
    return plan.categories.length ? foldOf(plan.categories[position], members) : members[0];
  });
  var cutIn = cutNamesOf(node, items);
  var lookout = lookoutFor();
  var built = null;
  var parts = null;

  function build(drawing) {
    if (parts) {
      parts.dots.clear();
    }
    node.textContent = "";
    built = drawing;
    var size = { viewBox: "0 0 " + drawing.width + " " + drawing.height, role: "group", "aria-label": PLACE_WORDS.graph };
    var svg = node.appendChild(svgElement("svg", size));
    groundInto(svg, drawing.outline, plan.picture && config.pictures + plan.picture);
    var ways = drawing.lines.map(function (line) {
      return wayInto(svg, line, drawing.pitch);
    });
    leadersInto(svg, drawing.leaders);
    var dots = dotsInto(svg.appendChild(svgElement("g", { class: "people" })));
    var labels = drawing.labels.map(function (label) {
      return label && label[1] ? peopleInto(svg, label[0]) : null;
    });
    var cards = items.map(function (item, position) {
      return zoneCard(svg, item, drawing.cards[position], letterOf(position));
    });
    // What letters on a plan stand for.
    cards = cards.concat(
      drawing.listed.map(function (box, position) {
        return zoneCard(svg, lettered(items[position], position), box);
      })
    );
    parts = { svg: svg, ways: ways, dots: dots, labels: labels, cards: cards };
  }

  return {
    node: node,
    isOnPlan: Boolean(plan.picture),
    notPlaced: plan.not_placed || 0,
    /* Lines on which there is no room for how many people crossed. */
    unnumbered: function () {
      return parts.labels.filter(function (label) {
        return !label;
      }).length;
    },
    /* Whether it can be read in that room, [width, height] in pixels; then it is as large as that. */
    fit: function (room) {
      var best = bestDrawing(plan.drawings, room, cutIn);
      if (!best || !isReadable(best.scale)) {
        return false;
      }
      if (best.drawing !== built) {
        build(best.drawing);
      }
      parts.svg.setAttribute("width", Math.floor(best.scale * built.width));
      parts.svg.setAttribute("height", Math.floor(best.scale * built.height));
      return true;
    },
    draw: function (link, options) {
      var found = crossingsOf(graph, link, options);
      var most = mostOf(found.ways);
      node.setAttribute("data-crossings", found.isTrusted ? "true" : "false");
      parts.ways.forEach(function (way, position) {
        var words = peopleWords(found, position);
        way.draw(found.ways[position], most, words);
        if (parts.labels[position]) {
          parts.labels[position](graph.crossings ? words : "");
        }
      });
      parts.cards.forEach(function (card) {
        card.draw(link, options);
      });
      sendPeople(parts.dots, graph, parts.ways, lookout.crossed(passagesOf(found), link.isOpen, monotonic()));
      return found;
    },
  };
}

function foldOf(category, members) {
  var title = (category || WORDS.withoutCategory) + " · " + members.length;
  var isKnown = members.every(function (member) {
    return typeof member.capacity === "number";
  });
  var capacity = members.reduce(function (sum, member) {
    return sum + member.capacity;
  }, 0);
  var own = { title: title, whole_title: title, href: "", members: members, capacity: isKnown ? capacity : null };
  return Object.assign({}, members[0], own);
}

function lettered(item, position) {
  return Object.assign({}, item, { title: letterOf(position) + "  " + item.title });
}

/* {drawing, scale} of those that can be read; of these, of those that cut fewest names and tell most (on a plan), the one
 * that becomes largest, where lines have their numbers; beside a list, with its plan. `cutIn` counts the names that a
 * drawing cuts. Null: none. */
function bestDrawing(drawings, room, cutIn) {
  return drawings.reduce(function (best, drawing) {
    var scale = Math.min(room[0] / drawing.width, room[1] / drawing.height);
    var isRead = isReadable(scale);
    var told = isRead ? [1, -cutIn(drawing), drawing.detail || 0] : [0, 0, 0];
    var merits = told.concat(scale * numbered(drawing) * planBeside(drawing, scale));
    return !best || isBefore(merits, best.merits) ? { drawing: drawing, scale: scale, merits: merits } : best;
  }, null);
}

/* Of a drawing with a list the side of a square as large as its plan, in pixels: letters that are hardly larger are not
 * worth a plan of half its size. 1 where there is no list. */
function planBeside(drawing, scale) {
  var box = drawing.outline;
  return drawing.listed.length ? scale * Math.sqrt((box[2] - box[0]) * (box[3] - box[1])) : 1;
}

/* 1 where all lines have room for a number, a half where none has. */
function numbered(drawing) {
  var without = drawing.labels.filter(function (label) {
    return !label;
  }).length;
  return 1 - without / (2 * Math.max(1, drawing.labels.length));
}

/* Whether the first merit in which they differ is greater in the former. */
function isBefore(merits, others) {
  for (var place = 0; place < merits.length; place += 1) {
    if (merits[place] !== others[place]) {
      return merits[place] > others[place];
    }
  }
  return false;
}

/* A function that counts the names that the cards of a drawing cut, in the letters in which `node` shows them. */
function cutNamesOf(node, items) {
  var widths = null;
  return function (drawing) {
    widths = widths || [widthsOf(node, items), widthsOf(node, items.map(lettered))];
    var isListed = drawing.listed.length > 0;
    return (isListed ? drawing.listed : drawing.cards).filter(function (box, position) {
      return widths[isListed ? 1 : 0][position] > box[2] - box[0] - 2 * INSIDE_CARD;
    }).length;
  };
}

function widthsOf(node, items) {
  var pen = document.createElement("canvas").getContext("2d");
  pen.font = NAME_ON_WALL + " " + getComputedStyle(node).fontFamily;
  return items.map(function (item) {
    return pen.measureText(item.title).width;
  });
}

function isReadable(scale) {
  var least = Math.max(SMALLEST_IN_FLOW.pixels, SMALLEST_IN_FLOW.part * shorterSide());
  return SMALLEST_IN_FLOW.unit * scale >= least;
}

/* A function that writes a number into its box on a line. */
function peopleInto(svg, box) {
  var group = svg.appendChild(svgElement("g", { class: "way-label people-of-way" }));
  group.appendChild(svgElement("rect", boxed(box, { rx: 2 })));
  var middle = { x: (box[0] + box[2]) / 2, y: box[3] - 3, "text-anchor": "middle" };
  var words = group.appendChild(svgElement("text", middle));
  return function (text) {
    setText(words, text);
    group.style.display = text ? "" : "none";
  };
}

/* Both ways together; empty while they are not known. */
function peopleWords(found, position) {
  var both = found.ways[position];
  return both ? found.format.number(both[0] + both[1]) : NO_NUMBER;
}

/* Of when the numbers on the lines are. */
function flowNote(found) {
  if (!found.feed || found.age === null) {
    return found.feed && found.feed.reason ? WORDS.passagesUnread : PLACE_WORDS.reading;
  }
  var time = found.format.moment(found.now - found.age);
  return found.isTrusted ? say("passagesRead", { time: time }) : say("passagesOld", { time: time });
}

/* The words of the wall in the place of the page's. */
function speakOfPlace() {
  PLACE_WORDS.graph = WORDS.passagesGraph;
  PLACE_WORDS.outside = WORDS.passagesOutside;
  PLACE_WORDS.noCapacity = WORDS.passagesNoCapacity;
  PLACE_WORDS.reading = WORDS.passagesReading;
  PLACE_WORDS.noPicture = WORDS.planPictureMissing;
}
