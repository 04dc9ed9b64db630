/* What a replay says where a live view says something else: nothing of it is of now. */

var REPLAY_WORDS = {
  replay: "REPLAY",
  group: "Replay",
  play: "Play",
  pause: "Pause",
  speed: "Speed",
  times: "×{n}",
  timesSpoken: "×{n}: {n} times as fast as it was",
  position: "Time of the day",
  spoken: "{time}, {sentence}",
  curve: "REPLAY · people inside, {day}, {zone} time",
  curvePicture: "People inside on {day}",
  curveSpoken: "People inside on {day}, replayed",
  closed: "shaded: closed",
  untrusted: "between dashed lines: the number cannot be trusted",
  uncounted: "slanted lines: no counts",
  until: "{time} {zone} time",
};

Object.assign(WORDS, {
  pictureTitle: "REPLAY · {site}: {what}",
  pictureKind: "replay",
  pictureTime: "REPLAY of {time}, {zone} time",
  notesToday: "Notes of the day",
  replayed: "Replay",
  noCount: "No count",
  notRead: "Not read",
  flows: "By then {entrances} in · {exits} out",
  flowsSince: "By then {entrances} in · {exits} out, since {time}",
  fullest: "Fullest by then: {n} at {time}",
  measured: "The count of {time}",
  lastHours: "REPLAY · the 2 hours before, {zone} time",
  noCounts: "No count in these two hours.",
  noTrend: "No count in these 2 hours",
  trend: "People inside over the 2 hours before, most {n} at {time}",
  drift: "who came and who left differ by {n} people, counted from {since} to {time}",
  driftOfCount: "who came and who left differ by {n} people, counted from {since} to {time}",
});

Object.assign(PLACE_WORDS, {
  graph: "Graph of the zones and passages, replayed",
  lastHour: "REPLAY · in the hour before",
  lastHourStill: "REPLAY · in the hour before",
  notCounted: "not counted in the hour before",
});

Object.assign(SITE_WORDS, {
  zonesAndPassages: "REPLAY · zones and passages",
  opens: "",
  unknown: "{word}: no number, no capacity, or not to be trusted",
});

ICON_PATHS.replay = "M6.2 4.9v6.2l4.8-3.1z";
ICON_PATHS.pause = "M6 5v6M10 5v6";

/* The state of every feed of a replay: its number is of that time, and never live. */
FRESHNESS_BY_STATE.replay = function (feed) {
  if (feed.reason) {
    return freshness(WORDS.notRead, "stop", [withoutStop(feed.reason)], false);
  }
  return feed.inside === null
    ? freshness(WORDS.noCount, "silent", [], false)
    : freshness(WORDS.replayed, "replay", [], true);
};

function replayWords(name, values) {
  return fillIn(REPLAY_WORDS[name], values || {});
}

/* As the link names a time: "02:30", and with its offset, "02:30+02:00", where its day has it twice. */
function timeInLink(recording, time) {
  var minutes = minuteOfDay(time, recording.data.timezone);
  var repeated = recording.repeatedAt(time);
  var both = [Math.floor(minutes / 60), minutes % 60].map(function (number) {
    return (number < 10 ? "0" : "") + number;
  });
  return both.join(":") + (repeated ? repeated[2] : "");
}
