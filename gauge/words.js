/* What a gauge says on pages and on walls. A wall in another language puts its own words in the place of these. */

var WORDS = {
  inside: "inside",
  lastKnown: "last known",
  lastTime: "was {text}",
  share: "{percent} % of {capacity}",
  ofCapacity: "of {capacity}",
  under: "under {n}",
  placeLeft: "{n} place left",
  placesLeft: "{n} places left",
  over: "{n} over capacity",
  opens: "Opens {time}",
  insideNow: "{n} inside",
  flows: "Today {entrances} in · {exits} out",
  flowsSince: "Today {entrances} in · {exits} out, since {time}",
  measured: "Measured {time} · {ago}",
  localTime: "{zone} time",
  justNow: "just now",
  ago: "{span} ago",
  unknownZone: "times are UTC: this browser does not know {zone}",
  lastHours: "Last 2 hours, {zone} time",
  noCounts: "No count was published in the last two hours.",
  noTrend: "No count in the last 2 hours",
  trend: "People inside over the last 2 hours, most {n} at {time}",
  live: "Live",
  quiet: "Quiet",
  silent: "No counts",
  checking: "Checking",
  uncertain: "Uncertain",
  late: "Late",
  connecting: "Connecting",
  waiting: "Waiting for a first count",
  polling: "Polling",
  offline: "Offline",
  refused: "Refused",
  cutOff: "No connection to Headroom",
  since: "since {time}",
  sinceOrBefore: "since {time} or before",
  noNewCount: "no new count since {time}",
  eachMinute: "usually every minute",
  usualGap: "usually about every {n} minutes",
  confirmed: "confirmed by the service {ago}",
  unreliable: "Unreliable",
  wasUnreliable: "the last number was unreliable",
  drift: "by {time}, {n} more people had left than come since {since}",
  greyUntil: "grey until {time}: unreliable",
  unconfirmed: "not confirmed for {span}",
};

/* Whether readers can do something about a trouble, so that why and what next are told. */
var tellsReasons = true;

function say(name, values) {
  return WORDS[name].replace(/\{(\w+)\}/g, function (whole, key) {
    return values[key];
  });
}
