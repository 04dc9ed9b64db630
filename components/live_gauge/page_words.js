/* What only pages say, beside the words of the gauge; and what they read aloud. */

var ANNOUNCED_AFTER = 5; // seconds that a state stands before it is read aloud

Object.assign(WORDS, {
  noCapacity: "Capacity unknown",
  sparkScale: "Last hour, at most {n}",
  reconnecting: "Reconnecting",
  unreachable: "Headroom cannot be reached",
  expired: "This view has expired",
  reload: "reload the page",
  foreign: "This dashboard does not take this view",
  foreignWhy: "it was signed with another HEADROOM_SECRET",
  reloadOrConnection: "reload the page; if that does not help, the Connection page says which dashboards differ",
  driftOfCount: "by {time}, {n} more people had left than come since the count began at {since}",
  again: "trying again",
  againIn: "trying again in {span}",
  waiting: "Never counted",
  sites: "Sites",
  today: "today",
  closedTime: "closed",
  notesToday: "Notes of today",
  typicalDay: "typical {weekday}",
  dayTitle: "Today, {zone}",
  typicalTitle: "typical: the middle of {n} past {weekday}s, holidays included",
  curveOfToday: "People inside today",
  uncountedTime: "no counts",
  minutesOf: "counted in {n} of {all} minutes",
  minutesOfToday: "Today is counted in {n} of {all} minutes",
  fullest: "Fullest today: {n} at {time}",
  fullestSince: "Fullest since {since}, when the count began anew: {n} at {time}",
  timeInside: "Mean time inside today: {span}",
  leftOver:
    "{n} people were still counted inside when the count began again at {time}: the number inside may be too high again",
  noUsual: "No usual {weekday} is known yet",
  noUsualForDrift: "No usual {weekday} is known: on {n} of the last {all}, who came and who left did not add up",
  noUsualForDrifts: "No usual {weekday} is known: on each of the last {all}, who came and who left did not add up",
  zonesByEntrances: "Zones by entrances today",
  showAll: "Show all {n}",
  showFewer: "Show the first {n}",
  noEntrances: "No entrances are known of today yet.",
  countedSince: "counted since {time}",
  notAllCounted: "no count of today is known of {n} of {all}, so no shares are told",
  sharesOfZones: "Share of all entrances into these zones; who moves on is counted in each",
  doorsByEntrances: "Doors by entrances today",
  sharesOfDoors: "share of all who came in by a door",
  pastAwaited: "past days are being read, to tell whether counts are missing",
  pastUnread: "past days cannot be read, so whether counts are missing is not known",
  moreOnConnection: "more on the Connection page",
  readAt: "Read at {time}, {ago}",
});

/* How much of today is counted: `name` is of the words; empty where all is, or nobody knows. As `portion` in Python. */
function minutesWords(view, name) {
  var counted = view.feed && view.feed.counted_today;
  if (!counted || counted[0] >= counted[1]) {
    return "";
  }
  return say(name, { n: view.format.number(counted[0]), all: view.format.number(counted[1]) });
}

/* For who listens to a page: the state, once it stands, and no number that only changes. */
function speechInto(parent, item) {
  var node = element("p", "speech", parent);
  node.setAttribute("aria-live", "polite");
  var spoken = "";
  var seen = "";
  var since = monotonic();
  return {
    draw: function (link, options) {
      var view = viewOf(item, link, options);
      var state = view.freshness.isTrusted ? view.level : view.freshness.word;
      since = state === seen ? since : monotonic();
      seen = state;
      if (seen !== spoken && view.freshness.word !== WORDS.connecting && monotonic() - since >= ANNOUNCED_AFTER) {
        spoken = seen;
        setText(node, joined([sentenceOf(item, view, options), usualWords(item, view, options)]));
      }
    },
  };
}
