/* Sentences, numbers and times for people, and the few steps of drawing that all gauges share. */

var ICON_PATHS = {
  check: "M4 8.5l2.7 2.7L12 5.5",
  exclaim: "M8 3.5v5.5M8 11.8v.4",
  bar: "M4.2 8h7.6",
  question: "M5.8 6.2a2.2 2.2 0 1 1 3 2.1c-.6.3-.8.7-.8 1.3M8 12v.3",
  live: "M5.5 8a2.5 2.5 0 1 0 5 0a2.5 2.5 0 1 0-5 0",
  quiet: "M6 5v6M10 5v6",
  silent: "M3.6 8h.8M7.6 8h.8M11.6 8h.8",
  wait: "M8 4.2V8l2.6 1.8",
  warn: "M8 3.5v5.5M8 11.8v.4",
  stop: "M5 5l6 6M11 5l-6 6",
  cut: "M5 5l6 6M11 5l-6 6",
};

/* Numbers and times of one place, read at `now`. A time zone that this browser does not know is read as UTC;
 * then `unknownZone` is its name. */
function formatFor(locale, timezone, now) {
  var key = locale + " " + timezone;
  var parts = formatFor.kept[key] || (formatFor.kept[key] = intlFormats(locale, timezone));
  return {
    zone: parts.zone,
    unknownZone: parts.zone === timezone ? null : timezone,
    /* People are whole, also where a service answers with an average; and what rounds to -0 is 0. */
    number: function (value) {
      // Beyond, it is no count of people, and its digits fill the card.
      return grouped((Math.abs(value) < 1e12 ? parts.number : parts.long).format(Math.round(value) + 0));
    },
    /* For the small print of an axis. */
    short: function (value) {
      return grouped((Math.abs(value) < 1e6 ? parts.number : parts.long).format(value));
    },
    /* As `momentsOf` tells them apart: on an axis and in a clock; in a sentence; of minutes after midnight. */
    time: parts.moments.time,
    moment: function (epoch) {
      return parts.moments.moment(epoch, now === null ? epoch : now);
    },
    toCome: function (epoch) {
      return parts.moments.toCome(epoch, now === null ? epoch : now);
    },
    clock: parts.moments.clock,
    secondsIntoHour: function (epoch) {
      return Number(parts.minute.format(new Date(epoch * 1000))) * 60 + (epoch % 60);
    },
    span: spanWords,
    ago: function (seconds) {
      return seconds < 2 ? WORDS.justNow : say("ago", { span: spanWords(seconds) });
    },
  };
}
formatFor.kept = {};

/* With the straight apostrophe that Python writes in Switzerland; some browsers have the curved one. */
function grouped(written) {
  return written.replace(/\u2019/g, "'");
}

function intlFormats(wanted, timezone) {
  var locale = inLatinDigits(isKnown(wanted, "UTC") ? wanted : "");
  var zone = isKnown("en", timezone) ? timezone : "UTC";
  return {
    zone: zone,
    number: new Intl.NumberFormat(locale, { maximumFractionDigits: 1 }),
    long: new Intl.NumberFormat(locale, { notation: "scientific", maximumFractionDigits: 1 }),
    moments: momentsOf(locale, zone),
    minute: new Intl.DateTimeFormat("en-GB", { minute: "numeric", timeZone: zone }),
  };
}

/* Of an IANA name, as one says it: "Zurich". */
function placeOf(zone) {
  return zone.replace(/^.*\//, "").replace(/_/g, " ");
}

function isKnown(locale, timezone) {
  try {
    return Boolean(new Intl.DateTimeFormat(locale || undefined, { timeZone: timezone }));
  } catch (error) {
    return false; // RangeError: a name that is newer than this browser, or none at all
  }
}

function spanWords(seconds) {
  var whole = Math.max(0, Math.floor(seconds));
  if (whole < 100) {
    return whole + " s";
  }
  if (whole < 6000) {
    return Math.floor(whole / 60) + " min";
  }
  if (whole < 360000) {
    return Math.floor(whole / 3600) + " h " + (Math.floor(whole / 60) % 60) + " min";
  }
  return Math.floor(whole / 86400) + " d";
}

/* Never rounded up, as in Python: 89.5 % is not yet a level that begins at 90 %, nor 99.6 % full. And what is more
 * than nothing is not called 0. */
function percentNumber(share, format) {
  return share > 0 && share < 1 ? say("under", { n: 1 }) : format.number(Math.floor(share));
}

function percentWords(share, format) {
  return percentNumber(share, format) + "\u00a0%";
}

function shareWords(item, view) {
  if (!item.capacity) {
    return tellsReasons ? WORDS.noCapacity : "";
  }
  var capacity = view.format.number(item.capacity);
  if (view.share === null) {
    return say("ofCapacity", { capacity: capacity });
  }
  var text = say("share", { percent: percentNumber(view.share, view.format), capacity: capacity });
  return view.freshness.isTrusted ? text : say("lastTime", { text: text });
}

/* At a closed door, when it opens. */
function placesWords(item, view) {
  if (view.level === "closed") {
    return opensWords(view);
  }
  if (view.share === null || !view.freshness.isTrusted) {
    return "";
  }
  var left = Math.floor(item.capacity - Math.round(view.inside));
  var name = left < 0 ? "over" : left === 1 ? "placeLeft" : "placesLeft";
  return say(name, { n: view.format.number(Math.abs(left)) });
}

function flowWords(view) {
  var feed = view.feed;
  if (!feed || (typeof feed.entrances_today !== "number" && typeof feed.exits_today !== "number")) {
    return "";
  }
  var number = function (value) {
    return typeof value === "number" ? view.format.number(value) : NO_NUMBER;
  };
  var since = laterThanToday(feed.today_since, view.format);
  return say(since ? "flowsSince" : "flows", {
    entrances: number(feed.entrances_today),
    exits: number(feed.exits_today),
    time: since,
  });
}

/* The first count of today as a time; empty where it came with the day itself, at midnight. */
function laterThanToday(since, format) {
  return since && format.time(since) !== format.clock(0) ? format.moment(since) : "";
}

function measuredWords(item, view) {
  if (view.age === null) {
    return say("localTime", { zone: placeOf(view.format.zone) });
  }
  return say("measured", timesOf(view));
}

function timesOf(view) {
  return { time: view.format.moment(view.feed.measured_at), ago: view.format.ago(view.age) };
}

function sentenceOf(item, view, options) {
  if (view.inside === null) {
    return item.title + ": " + view.freshness.word;
  }
  var parts = [say("insideNow", { n: view.format.number(view.inside) })];
  if (view.share !== null) {
    parts.push(shareWords(item, view), options.levels[view.level].word);
  }
  return item.title + ": " + parts.concat(view.freshness.word).join(", ");
}

/* The scale of a line without axes, which begins at 0. */
function sparkWords(view) {
  var most = view.feed.points.reduce(function (highest, point) {
    var isTold = point[0] >= Math.max(view.now - SPARK_SPAN, view.feed.spoilt_until || 0);
    return isTold && point[1] !== null ? Math.max(highest, point[1]) : highest;
  }, -1);
  return most < 0 ? "" : say("sparkScale", { n: view.format.number(most) });
}

function trendWords(points, view) {
  var known = points.filter(function (point) {
    return point[1] !== null;
  });
  if (!known.length) {
    return WORDS.noTrend;
  }
  var told = known.filter(isSoundFrom(view.feed.spoilt_until));
  var grey = told.length < known.length ? greyWords(view) : "";
  if (!told.length) {
    return grey;
  }
  var peak = told.reduce(function (most, point) {
    return point[1] > most[1] ? point : most;
  });
  return joined([say("trend", { n: view.format.number(peak[1]), time: view.format.time(peak[0]) }), grey]);
}

/* Of the curve of a count that is over and meant nothing. */
function greyWords(view) {
  return say("greyUntil", { time: view.format.time(view.feed.spoilt_until) });
}

/* How many letters a title has in common with another one from the beginning: what follows tells it apart. */
function sharedLetters(titles, position) {
  return titles.reduce(function (most, other, number) {
    return number === position ? most : Math.max(most, sharedLength(titles[position], other));
  }, 0);
}

/* How many letters two titles have in common from the beginning. */
function sharedLength(one, other) {
  var length = 0;
  while (length < one.length && one[length] === other[length]) {
    length += 1;
  }
  return one === other ? 0 : length;
}

/* The most telling first: where names lie on each other, the capacity's is left out. */
function thresholdMarks(item, view) {
  if (!item.capacity) {
    return [];
  }
  var parts = { full: view.thresholds.full, filling: view.thresholds.filling, capacity: 100 };
  return Object.keys(parts)
    .filter(function (level) {
      return level === "capacity" || parts[level] < 100;
    })
    .map(function (level) {
      return { value: (item.capacity * parts[level]) / 100, label: parts[level] + " %", level: level };
    });
}

function element(name, className, parent) {
  var node = document.createElement(name);
  node.className = className;
  if (parent) {
    parent.appendChild(node);
  }
  return node;
}

/* Leaves what already reads so alone: no flicker, and a selection survives. */
function setText(node, text) {
  if (node.textContent !== text) {
    node.textContent = text;
  }
}

function iconInto(parent) {
  var svg = svgElement("svg", { viewBox: "0 0 16 16", class: "icon", "aria-hidden": "true" });
  svg.appendChild(svgElement("circle", { cx: 8, cy: 8, r: 7.5 }));
  svg.appendChild(svgElement("path", {}));
  parent.appendChild(svg);
  return svg;
}

function setIcon(svg, name) {
  if (svg.getAttribute("data-icon") !== name) {
    svg.setAttribute("data-icon", name);
    svg.lastChild.setAttribute("d", ICON_PATHS[name] || "");
  }
}
