/* What a gauge says. A page in another language puts its own sentences in the place of these. */

var WORDS = {
  inside: "inside",
  lastKnown: "last known",
  lastTime: "was {text}",
  share: "{percent} % of {capacity}",
  ofCapacity: "of {capacity}",
  noCapacity: "Capacity not told",
  placeLeft: "{n} place left",
  placesLeft: "{n} places left",
  over: "{n} over capacity",
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
  capacity: "capacity",
  live: "Live",
  quiet: "Quiet",
  late: "Late",
  connecting: "Connecting",
  waiting: "Waiting for a first count",
  polling: "Polling",
  reconnecting: "Reconnecting",
  offline: "Offline",
  refused: "Refused",
  cutOff: "No connection to Headroom",
  unreachable: "Headroom cannot be reached",
  expired: "This view has expired",
  reload: "reload the page",
  since: "since {time}",
  unchanged: "unchanged since {time}",
  confirmed: "confirmed {ago}",
  unconfirmed: "not confirmed for {span}",
  requestId: "request id {id}",
  again: "trying again",
  againIn: "trying again in {span}",
};

/* Whether WORDS are in the language in which the service and the relay give their reasons. */
var speaksAsTheService = true;

function say(name, values) {
  return WORDS[name].replace(/\{(\w+)\}/g, function (whole, key) {
    return values[key];
  });
}
