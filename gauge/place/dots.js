/* People who cross, as dots that travel along their lane in their direction. Nothing runs while none is on its way: no
 * timer, no frame, no node. Of many people who cross together a few heavier dots travel. */

var DOT = { radius: 3.2, most: 9 }; // pixels: of one person, and of the heaviest
var DOTS = { together: 6, flying: 60 }; // of one way and direction at a time, and of the whole drawing
var WALK = { speed: 110, least: 900, most: 4000 }; // pixels in a second; milliseconds on the way
var APART = 380; // milliseconds between two who set out on the same lane

function dotsInto(layer) {
  var flying = [];
  var frame = null;

  function step(now) {
    frame = null;
    flying = flying.filter(function (dot) {
      var part = (now - dot.startAt) / dot.duration;
      if (part >= 1) {
        layer.removeChild(dot.node);
        return false;
      }
      if (part >= 0) {
        var place = placeOn(dot.course, part);
        dot.node.setAttribute("cx", place[0].toFixed(1));
        dot.node.setAttribute("cy", place[1].toFixed(1));
        dot.node.style.visibility = "";
      }
      return true;
    });
    if (flying.length) {
      frame = requestAnimationFrame(step);
    }
  }

  return {
    /* So many people along [[x, y]]; nothing where nobody would see it, or who looks wants nothing to move. */
    send: function (people, course, kind) {
      if (document.hidden || window.matchMedia("(prefers-reduced-motion: reduce)").matches) {
        return;
      }
      var number = Math.min(dotsFor(people), DOTS.flying - flying.length);
      var length = lengthOf(course);
      var duration = Math.max(WALK.least, Math.min(WALK.most, (1000 * length) / WALK.speed));
      for (var position = 0; position < number; position += 1) {
        var node = svgElement("circle", { r: radiusOf(people / number).toFixed(1), class: "person " + kind });
        node.style.visibility = "hidden"; // until it sets out
        layer.appendChild(node);
        var startAt = performance.now() + position * APART;
        flying.push({ node: node, course: course, startAt: startAt, duration: duration });
      }
      if (number > 0 && frame === null) {
        frame = requestAnimationFrame(step);
      }
    },
    /* Before the drawing is made anew. */
    clear: function () {
      cancelAnimationFrame(frame);
      frame = null;
      flying.forEach(function (dot) {
        layer.removeChild(dot.node);
      });
      flying = [];
    },
  };
}

/* One for each person while they are few. */
function dotsFor(people) {
  return Math.min(Math.ceil(people), DOTS.together);
}

/* Its area grows with the people that it stands for. */
function radiusOf(people) {
  return Math.min(DOT.most, DOT.radius * Math.sqrt(Math.max(1, people)));
}

function lengthOf(course) {
  return course.reduce(function (sum, point, position) {
    return position ? sum + Math.hypot(point[0] - course[position - 1][0], point[1] - course[position - 1][1]) : 0;
  }, 0);
}

/* The point at a part of the course, 0 to 1. */
function placeOn(course, part) {
  var left = lengthOf(course) * part;
  for (var position = 1; position < course.length; position += 1) {
    var from = course[position - 1];
    var to = course[position];
    var length = Math.hypot(to[0] - from[0], to[1] - from[1]);
    if (length && left <= length) {
      return [from[0] + ((to[0] - from[0]) * left) / length, from[1] + ((to[1] - from[1]) * left) / length];
    }
    left -= length;
  }
  return course[course.length - 1];
}

/* Who has crossed since the last look, [forward, backward] by passage id: nobody at the first look, after a pause in
 * which nobody looked, after the connection was gone, and where the counting began anew. */
function lookoutFor() {
  var LONGEST_PAUSE = 5; // seconds; a page that is shown looks each second
  var seen = null;
  var lookedAt = null;
  return {
    crossed: function (passages, isOpen, at) {
      var before = seen !== null && at - lookedAt <= LONGEST_PAUSE ? seen : null;
      lookedAt = at;
      seen = isOpen && passages ? passages : null;
      var crossed = Object.create(null);
      if (seen && before) {
        Object.keys(seen).forEach(function (id) {
          var known = seen[id] && before[id];
          var more = known ? [seen[id][2] - known[2], seen[id][3] - known[3]] : [0, 0];
          if (Math.min(more[0], more[1]) >= 0 && more[0] + more[1] > 0) {
            crossed[id] = more;
          }
        });
      }
      return crossed;
    },
  };
}

/* Those of each way who have crossed, along what is drawn of it. `crossed` is what a lookout tells. */
function sendPeople(dots, graph, drawn, crossed) {
  graph.ways.forEach(function (way, position) {
    var courses = drawn[position].courses();
    ["forward", "backward"].forEach(function (kind, direction) {
      var people = way.passages.reduce(function (sum, id) {
        return sum + (crossed[id] ? crossed[id][direction] : 0);
      }, 0);
      dots.send(people, courses[direction], kind);
    });
  });
}

function passagesOf(found) {
  return found.feed && found.feed.passages;
}
