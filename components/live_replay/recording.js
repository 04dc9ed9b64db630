/* A recorded day, read step by step as the feeds that a relay would have sent. Pure.
 *
 * A recording is {start, end, day_end, step, timezone, repeated, closed: [[start, end]], notes: [[time, text]], main,
 * crossings, unread, places: {name: place}, passages: {id: [forward, backward]}}, times in epoch seconds, `step` in
 * seconds; `closed` and `notes` are of the whole day; `unread` is why no passage is read, empty where they are;
 * `repeated` are [start, end, offset] of both times that the clocks show twice that day. A place is {inside, entrances, exits, untrusted: [[start, end, people]], reason},
 * each of the first three with a number or null for each step; the two in the middle are the main place's alone. Of a
 * passage, both have a number or null for each step.
 */

var TREND_STEPS = TREND_SPAN / MINUTE;
var LAST_HOUR = 3600; // seconds

function recordingOf(data) {
  var length = Math.max(0, Math.ceil((data.end - data.start) / data.step));
  var main = data.places[data.main];
  var sums = { entrances: runningSum(main && main.entrances), exits: runningSum(main && main.exits) };
  var passages = Object.create(null); // their names are not ours
  Object.keys(data.passages).forEach(function (id) {
    passages[id] = data.passages[id].map(runningSum);
  });

  function indexAt(time) {
    return Math.max(0, Math.min(length - 1, Math.floor((time - data.start) / data.step)));
  }

  function startOf(index) {
    return data.start + index * data.step;
  }

  function insideAt(place, time) {
    var value = time < data.start || time >= data.end ? null : place.inside[indexAt(time)];
    return typeof value === "number" ? value : null;
  }

  /* One point for each minute, so that a longer step is level and a missing one a gap. */
  function pointsOf(place, from, to) {
    var points = [];
    for (var time = from; time <= to; time += MINUTE) {
      var value = insideAt(place, time);
      if (value !== null) {
        points.push([time, value]);
      }
    }
    return points;
  }

  function feedOf(name, index) {
    var place = data.places[name];
    var at = startOf(index);
    var isMain = name === data.main;
    var minute = Math.floor(at / MINUTE) * MINUTE;
    return {
      state: "replay",
      since: null,
      reason: place.reason || "",
      inside: insideAt(place, at),
      measured_at: at,
      confirmed_age: 0,
      receivedAt: monotonic(),
      drift: driftAt(place, at, data.step),
      entrances_today: isMain ? totalAt(sums.entrances, index) : null,
      exits_today: isMain ? totalAt(sums.exits, index) : null,
      today_since: isMain ? sinceOf(sums, startOf) : null,
      fullest_today: isMain && data.step === MINUTE ? fullestBy(place, index) : null,
      points: isMain ? pointsOf(place, minute - (TREND_STEPS - 1) * MINUTE, minute) : [],
    };
  }

  function fullestBy(place, index) {
    var most = null;
    for (var one = 0; one <= index; one += 1) {
      var value = place.inside[one];
      if (typeof value === "number" && value > 0 && (!most || value > most.inside)) {
        most = { inside: value, at: startOf(one), since: null };
      }
    }
    var isTrusted = place.untrusted.every(function (stretch) {
      return stretch[0] > startOf(index);
    });
    return isTrusted ? most : null;
  }

  return {
    data: data,
    length: length,
    indexAt: indexAt,
    startOf: startOf,
    main: main,
    /* [start, end, offset] where the clocks of the day show this time twice, else undefined. */
    repeatedAt: function (time) {
      return data.repeated.filter(function (one) {
        return one[0] <= time && time < one[1];
      })[0];
    },
    pointsOfDay: function () {
      return main ? pointsOf(main, data.start, data.end - 1) : [];
    },
    /* [from, to] of what is recorded without a count in it, unless all of it is closed; as `uncountedWithin` of today. */
    uncounted: function () {
      var known = main ? pointsOf(main, data.start, data.end - 1) : [];
      var ends = [data.start].concat(
        known.map(function (point) {
          return point[0] + MINUTE;
        })
      );
      return ends
        .map(function (end, position) {
          return [end, position < known.length ? known[position][0] : data.end];
        })
        .filter(function (span) {
          var isClosed = data.closed.some(function (one) {
            return one[0] <= span[0] && span[1] <= one[1];
          });
          return span[1] - span[0] > 1.5 * STEP && !isClosed;
        });
    },
    /* `seen` is {id: [forward, backward]}: who was seen to cross since somebody looks. */
    feedsAt: function (index, seen) {
      var feeds = {};
      Object.keys(data.places).forEach(function (name) {
        feeds[name] = feedOf(name, index);
      });
      if (data.crossings) {
        var crossed = Object.create(null);
        Object.keys(passages).forEach(function (id) {
          var lastHour = crossedWithin(passages[id], index, Math.ceil(LAST_HOUR / data.step));
          crossed[id] = lastHour.concat(seen[id] || [0, 0]);
        });
        feeds[data.crossings] = {
          passages: crossed,
          read_age: data.unread ? null : 0,
          receivedAt: monotonic(),
          reason: data.unread || "",
        };
      }
      return feeds;
    },
    /* {id: [forward, backward]}: who crosses after step `from`, in those up to `to`. */
    crossedBetween: function (from, to) {
      var crossed = Object.create(null);
      Object.keys(passages).forEach(function (id) {
        crossed[id] = crossedWithin(passages[id], to, to - from).map(Number);
      });
      return crossed;
    },
  };
}

/* {sum, counted, first}: of the values before each step, and how many of them there are; the first that is there. */
function runningSum(values) {
  var sum = [0];
  var counted = [0];
  var first = null;
  (values || []).forEach(function (value, index) {
    var isKnown = typeof value === "number";
    first = first === null && isKnown ? index : first;
    sum.push(sum[index] + (isKnown ? value : 0));
    counted.push(counted[index] + (isKnown ? 1 : 0));
  });
  return { sum: sum, counted: counted, first: first };
}

function totalAt(running, index) {
  var end = Math.min(index + 1, running.sum.length - 1);
  return running.counted[end] ? running.sum[end] : null;
}

function sinceOf(sums, startOf) {
  var known = [sums.entrances.first, sums.exits.first].filter(function (first) {
    return first !== null;
  });
  return known.length ? startOf(Math.min.apply(null, known)) : null;
}

/* [forward, backward] of the last steps up to `index`; null where none of them was counted. */
function crossedWithin(both, index, steps) {
  return both.map(function (running) {
    var end = Math.min(index + 1, running.sum.length - 1);
    var start = Math.max(0, Math.min(end, index + 1 - steps));
    return running.counted[end] > running.counted[start] ? running.sum[end] - running.sum[start] : null;
  });
}

function driftAt(place, time, step) {
  var found = place.untrusted.filter(function (stretch) {
    return stretch[0] < time + step && time < stretch[1];
  })[0];
  return found ? { people: found[2], since: found[0], at: found[1], begun: false } : null;
}
