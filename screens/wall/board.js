/* Many places at once as cards, in as many columns as leave them largest; what is too small takes turns. */

var CARD_SHAPES = {
  // Width and height in letters of the card's size, for one line of a title; how many of these a letter of it is,
  // and one of the state; digits of a number at its full size.
  wide: { width: 17.4, height: 9.4, title: 1.35, state: 1.15, digits: 3.2 }, // a dial beside the facts
  tall: { width: 11.5, height: 14.6, title: 1.35, state: 1.15, digits: 3 }, // a dial above them
  flat: { width: 15.6, height: 5, title: 1.1, state: 1, digits: 3.5 }, // no dial: as many as can be read
  "flat stacked": { width: 10.5, height: 7, title: 1.1, state: 1, digits: 5 }, // its level below the number
};
var WITH_DIALS = ["wide", "tall"];
var CARD_EDGES = 2.2; // letters beside a title: gap, border, padding
var NARROWEST = 0.75; // size of the letters of titles, before they are cut
var MOST_WORDS = 20; // of the beginning of a title, and of its end, that are tried to be kept
var ENOUGH_OF_TITLE = 14; // letters of a title that is cut: few of its words, and its end
var SMALLEST_STATE = 3.5; // percent of the shorter side for a letter of the state; smaller is not read from afar
var SMALLEST_PIXELS = 12;
var SIGN = /\p{RI}{2}|.(\p{M}|\p{Emoji_Modifier}|\u200d.)*/gu; // with what belongs to it: marks, the parts of an emoji
var TILE_EDGE = 0.15; // letters above a title, at least
var EMPTY_PLACES = 0.3; // of the worth of a layout that its empty places cost
var SHORTEST_PAGE = 5; // seconds

function boardDrawing(config, options) {
  var node = element("section", "view board-view");
  var grid = element("div", "grid-of-cards", node);
  var cards = config.feeds.map(function (item) {
    return cardDrawing(Object.assign({ heading: "h2" }, item));
  });
  var titles = config.feeds.map(function (feed) {
    return feed.title;
  });
  var layout = null;
  var size = "";
  var page = 0;
  cards.forEach(function (card) {
    grid.appendChild(card.node);
  });

  function fit() {
    var wanted = node.clientWidth + " " + node.clientHeight;
    if (wanted === size || !node.clientWidth) {
      return;
    }
    size = wanted;
    layout = boardLayout(titles, node.clientWidth, node.clientHeight);
    var line = 0.96 * layout.line;
    var narrow = 1;
    function fits(title) {
      return linesOf(title, line / narrow) <= layout.lines;
    }
    while (narrow > NARROWEST && !titles.every(fits)) {
      narrow -= 0.05;
    }
    var shown = titles.map(function (title, position) {
      var shared = sharedLetters(titles, position);
      return fits(title) ? title : shortenedTitle(title, shared && title.length - shared, fits, titles);
    });
    grid.className = "grid-of-cards " + layout.shape;
    grid.style.fontSize = layout.letter + "px";
    grid.style.gridTemplateColumns = "repeat(" + layout.columns + ", minmax(0, 1fr))";
    grid.style.gridTemplateRows = "repeat(" + layout.rows + ", minmax(0, 1fr))";
    grid.style.setProperty("--lines", layout.lines);
    grid.style.setProperty("--narrow", Math.min(narrow, line / widestWord(shown.join(" "))));
    cards.forEach(function (card, position) {
      setText(card.node.querySelector(".title"), shown[position]);
    });
  }

  /* When it opens is left out of a tile that has no room for it. */
  function fitOpening(card) {
    var wanted = isClosed(card) && size + card.node.textContent.replace(/\d/g, "0");
    if (wanted !== card.fitted) {
      card.fitted = wanted;
      card.node.classList.remove("tight");
      // What is too high in the middle of a tile leaves it above, too, which no height of its content tells.
      var above = card.node.firstChild.getBoundingClientRect().top - card.node.getBoundingClientRect().top;
      card.node.classList.toggle("tight", isClosed(card) && above < TILE_EDGE * layout.letter);
    }
  }

  function isOnPage(position) {
    return !layout || Math.floor(position / layout.perPage) === page;
  }

  return {
    node: node,
    /* Which of how many are in sight; empty where it is all of them. */
    page: function () {
      if (!layout || (layout.pages === 1 && config.all === cards.length)) {
        return "";
      }
      var first = page * layout.perPage;
      var last = Math.min(first + layout.perPage, cards.length);
      return first + 1 + "–\u2060" + last + "\u00a0/\u00a0" + config.all; // all on one line
    },
    shown: function () {
      return config.feeds.filter(function (feed, position) {
        return isOnPage(position);
      });
    },
    /* Seconds that it takes to show all pages, or 0 for one. */
    wholeTurn: function () {
      return layout && layout.pages > 1 ? layout.pages * SHORTEST_PAGE : 0;
    },
    draw: function (link, boardOptions, shownFor) {
      fit();
      if (!layout) {
        return;
      }
      var time = Math.max(SHORTEST_PAGE, options.seconds / layout.pages);
      page = Math.floor(shownFor / time) % layout.pages;
      cards.forEach(function (card, position) {
        card.node.hidden = !isOnPage(position);
        if (!card.node.hidden) {
          card.draw(link, boardOptions);
          shrinkNumber(card.node, CARD_SHAPES[layout.shape].digits);
          var number = card.node.querySelector(".number").textContent;
          var isTrusted = card.node.getAttribute("data-trusted") === "true";
          card.node.classList.toggle("distrusted", !isTrusted && !isClosed(card));
          card.node.classList.toggle("numberless", number === NO_NUMBER); // its room is for the words
          fitOpening(card);
        }
      });
    },
  };
}

function isClosed(card) {
  return card.node.getAttribute("data-level") === "closed";
}

/* {shape, columns, rows, perPage, pages, letter, line, lines}: with dials where all are readable at once, and with
 * whole titles where these are; else as few pages as are readable; then the largest letter in pixels. */
function boardLayout(titles, width, height) {
  var needed = [1, 2, 3].map(function (lines) {
    return neededLine(titles, lines);
  });
  // Shapes, pages, letters of a title where not all of them.
  var attempts = [[WITH_DIALS, 1], [["flat"], 1], [["flat stacked"], 1], [WITH_DIALS, 1, ENOUGH_OF_TITLE]];
  for (var pages = 1; pages <= titles.length; pages += 1) {
    attempts.push([["flat"], pages, ENOUGH_OF_TITLE], [["flat stacked"], pages, ENOUGH_OF_TITLE]);
  }
  var best = null;
  attempts.some(function (attempt) {
    var count = Math.ceil(titles.length / attempt[1]);
    best = attempt[0]
      .map(function (shape) {
        return largestLetter(shape, needed, attempt[2] || Infinity, count, width, height);
      })
      .reduce(function (one, other) {
        return one.letter >= other.letter ? one : other;
      });
    var smallest = (SMALLEST_STATE * shorterSide()) / 100 / CARD_SHAPES[best.shape].state;
    return best.letter >= Math.max(SMALLEST_PIXELS, smallest);
  });
  var card = CARD_SHAPES[best.shape];
  best.letter = Math.max(best.letter, SMALLEST_PIXELS);
  best.line = (width / best.columns / best.letter - CARD_EDGES) / card.title;
  var free = height / best.rows / best.letter - card.height;
  best.lines = Math.max(1, Math.min(3, 1 + Math.floor(free / card.title / 1.25 + 0.01)));
  best.pages = Math.ceil(titles.length / best.perPage);
  return best;
}

/* The columns and rows for `count` cards on a page, with titles of 1, 2 or 3 lines, which are as long as is `needed`
 * for each, or as hold `most` letters in all. */
function largestLetter(shape, needed, most, count, width, height) {
  var card = CARD_SHAPES[shape];
  var best = { worth: -1 };
  for (var columns = 1; columns <= count; columns += 1) {
    var rows = Math.ceil(count / columns);
    needed.forEach(function (line, more) {
      var tallness = card.height + more * 1.25 * card.title;
      var wide = Math.max(card.width, CARD_EDGES + (NARROWEST * card.title * Math.min(line, most / (more + 1))) / 0.95);
      var letter = Math.floor(10 * Math.min(width / columns / wide, height / rows / tallness)) / 10;
      var worth = letter * (1 - EMPTY_PLACES * (1 - count / columns / rows));
      if (worth > best.worth) {
        best = { shape: shape, columns: columns, rows: rows, perPage: count, letter: letter, worth: worth };
      }
    });
  }
  return best;
}

/* The shortest line, in letters of a title, with which all titles are whole on so many lines. */
function neededLine(titles, lines) {
  return titles.reduce(function (line, title) {
    var longer = Math.max(line, widestWord(title), titleWidth(title) / lines);
    while (linesOf(title, longer) > lines) {
      longer *= 1.04;
    }
    return longer;
  }, 1);
}

function widestWord(text) {
  return Math.max.apply(null, text.split(" ").map(titleWidth));
}

/* Width of a title in parts of the height of its letters, in the page's own type. */
function titleWidth(text) {
  var paper = (titleWidth.paper = titleWidth.paper || document.createElement("canvas").getContext("2d"));
  paper.font = "600 100px " + getComputedStyle(document.getElementById("wall")).fontFamily;
  return paper.measureText(text).width / 100;
}

/* How many lines of this width a title takes; a word that is wider takes more. */
function linesOf(title, line) {
  var lines = 1;
  var used = 0;
  title.split(" ").forEach(function (word) {
    var width = titleWidth(word);
    var after = titleWidth(" ") + width;
    if (used && used + after > line) {
      lines += 1;
      used = 0;
    }
    used += used ? after : width;
    lines += Math.max(0, Math.ceil(width / line) - 1);
  });
  return lines;
}

function isMeantAlone(title, begin, end, titles) {
  return titles.every(function (other) {
    return other === title || !other.startsWith(begin) || !other.endsWith(end);
  });
}

/* A title that is too long without some of its words: its end tells apart what begins alike, its beginning the rest.
 * Such that none of `titles` could be meant as well, with as many as it can be of the `own` last letters, in which
 * it leaves those that begin alike, then with as many as it can be. A word that alone is too long loses its beginning. */
function shortenedTitle(title, own, fits, titles) {
  var words = title.split(" ");
  var best = { text: "", worth: 0 };
  var head = 0;
  var tail = Math.min(words.length - 1, MOST_WORDS);
  while (tail && head < MOST_WORDS) {
    var end = words.slice(-tail).join(" ");
    var begin = words.slice(0, head).join(" ");
    var text = begin + "… " + end;
    if (head + tail < words.length && fits(text)) {
      var worth = 1000 * Math.min(end.length, own) + (head && 500) + text.length;
      worth += isMeantAlone(title, begin && begin + " ", " " + end, titles) ? 1e6 : 0;
      best = worth > best.worth ? { text: text, worth: worth } : best;
      head += 1;
    } else {
      tail -= 1; // with more words of the beginning, no more of the end have room
    }
  }
  var signs = words.pop().match(SIGN) || [];
  while (!best.text) {
    signs.shift();
    var rest = "…" + signs.join("");
    best.text = signs.length < 2 || fits(rest) ? rest : "";
  }
  return best.text;
}
