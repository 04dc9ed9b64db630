/* Many places at once as cards, in as many columns as leave them largest; what is too small takes turns. */

var CARD_WIDTH = 16.4; // in letters of the card's size
var CARD_HEIGHT = 9.4;
var SMALLEST_LETTER = 2.5; // percent of the shorter side
var SMALLEST_PIXELS = 12;
var SHORTEST_PAGE = 5; // seconds

function boardDrawing(config, options) {
  var node = element("section", "view board-view");
  var grid = element("div", "grid-of-cards", node);
  var cards = config.feeds.map(cardDrawing);
  var layout = null;
  var size = "";
  var pageWords = "";
  cards.forEach(function (card) {
    grid.appendChild(card.node);
  });

  function fit() {
    var wanted = node.clientWidth + " " + node.clientHeight;
    if (wanted === size || !node.clientWidth) {
      return;
    }
    size = wanted;
    layout = boardLayout(cards.length, node.clientWidth, node.clientHeight, shorterSide());
    grid.style.fontSize = layout.letter + "px";
    grid.style.gridTemplateColumns = "repeat(" + layout.columns + ", minmax(0, 1fr))";
  }

  return {
    node: node,
    page: function () {
      return pageWords;
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
      var page = Math.floor(shownFor / time) % layout.pages;
      pageWords = layout.pages > 1 ? page + 1 + "/" + layout.pages : "";
      cards.forEach(function (card, place) {
        card.node.hidden = Math.floor(place / layout.perPage) !== page;
        if (!card.node.hidden) {
          card.draw(link, boardOptions);
        }
      });
    },
  };
}

/* {columns, perPage, pages, letter}: as few pages as are readable, and then the largest letter in pixels. */
function boardLayout(count, width, height, side) {
  var smallest = Math.max(SMALLEST_PIXELS, (SMALLEST_LETTER * side) / 100);
  for (var pages = 1; pages <= count; pages += 1) {
    var perPage = Math.ceil(count / pages);
    var best = largestLetter(perPage, width, height);
    if (best.letter >= smallest || perPage === 1) {
      return { columns: best.columns, perPage: perPage, pages: Math.ceil(count / perPage), letter: best.letter };
    }
  }
  return { columns: 1, perPage: 1, pages: 1, letter: smallest };
}

function largestLetter(count, width, height) {
  var best = { columns: 1, letter: 0 };
  for (var columns = 1; columns <= count; columns += 1) {
    var rows = Math.ceil(count / columns);
    var letter = Math.floor(Math.min(width / columns / CARD_WIDTH, height / rows / CARD_HEIGHT));
    if (letter > best.letter) {
      best = { columns: columns, letter: letter };
    }
  }
  return best;
}
