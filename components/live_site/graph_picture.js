/* The drawing of a place as a picture: each zone that is not of now is named, with what it is as of. */

var WIDEST = 1152; // pixels that a picture has for a drawing

function graphPictureInto(parent, item, graph) {
  var last = null;
  var bar = svgPictureBar(parent, function () {
    return last && graphPicture(item, graph, last.link, last.options);
  });
  bar.name(pictureTitle(item, drawnWhat(graph)));
  return {
    draw: function (link, options) {
      last = { link: link, options: options };
    },
  };
}

function drawnWhat(graph) {
  return graph.picture ? SITE_WORDS.onThePlan : SITE_WORDS.inTheGraph;
}

function graphPicture(item, graph, link, options) {
  var head = pictureHead(item, drawnWhat(graph), link, options);
  var levels = ["free", "filling", "full"].map(function (level) {
    return levelWords(level, options);
  });
  return (
    head &&
    Object.assign(head, {
      words: head.words.concat(notOfNow(item, graph, link, options), joined(levels), SITE_WORDS.arrow, graph.note || []),
      width: WIDEST,
      draw: function (stage) {
        graphInto(stage, Object.assign({}, graph, { isStill: true })).draw(link, options);
        return stage.querySelector(".graph > svg");
      },
      below: function (stage) {
        return [stage.querySelector(".read-at").textContent].concat(listedIn(stage)).filter(Boolean);
      },
    })
  );
}

/* Zones whose number is not live, those in the same state together. */
function notOfNow(item, graph, link, options) {
  var dated = datedFormat(item, link, options);
  var states = Object.create(null);
  zonesOf(graph).forEach(function (zone) {
    var view = viewOf(zone, link, options);
    if (view.freshness.icon === "live" || view.freshness.icon === "replay") {
      return;
    }
    var isDated = view.inside !== null && typeof view.feed.measured_at === "number";
    var when = isDated ? say("asOf", { time: dated.moment(view.feed.measured_at) }) : "";
    var state = [view.freshness.word, when].filter(Boolean).join(", ");
    states[state] = (states[state] || []).concat(zone.title);
  });
  return Object.keys(states).map(function (state) {
    return state + ": " + states[state].join(", ");
  });
}

/* A card that stands for several has them as its members. */
function zonesOf(graph) {
  return graph.zones.reduce(function (all, zone) {
    return all.concat(zone.members || zone);
  }, []);
}

/* What stands below a drawing as a list, each line with its number or letter first. */
function listedIn(stage) {
  return Array.from(stage.querySelectorAll(".ways:not([hidden]) > li:not([hidden])")).map(function (entry) {
    var number = entry.firstChild.textContent;
    var words = Array.from(entry.lastChild.childNodes).map(function (part) {
      return part.textContent;
    });
    return (number && number + ". ") + words.filter(Boolean).join(": ");
  });
}
