/* What a picture of a live drawing says of itself: of what, of when, and how far its numbers can be trusted. */

var PICTURED = { width: 920, height: 360 }; // units of a curve in a picture, which is wider: its letters grow

Object.assign(WORDS, {
  pictureTitle: "{site}: {what}",
  pictureKind: "",
  pictureTime: "{time}, {zone} time",
  asOf: "as of {time}",
  notOfNow: "not of now, but as of {time}",
});

function pictureTitle(item, what) {
  return say("pictureTitle", { site: item.whole_title || item.title, what: what });
}

/* {title, file, words: [of when, of what number]}; null before the page knows what time it is. */
function pictureHead(item, what, link, options) {
  var now = link.serverNow();
  if (now === null) {
    return null;
  }
  var dated = datedFormat(item, link, options);
  var time = { time: dated.moment(now), zone: placeOf(dated.zone) };
  var view = viewOf(item, link, options);
  return {
    title: pictureTitle(item, what),
    file: fileOf([WORDS.pictureKind, item.whole_title || item.title, what, stampOf(now, dated.zone)]),
    words: [joined([say("pictureTime", time), view.zoneNote]), asOfWords(item, view, options, dated)],
  };
}

/* Moments with day and year: a picture is looked at on another day. */
function datedFormat(item, link, options) {
  return formatFor(options.locale, item.timezone, 0);
}

/* The number with its state, and of when it is, whether or not that is now. */
function asOfWords(item, view, options, dated) {
  var isDated = view.inside !== null && typeof view.feed.measured_at === "number";
  var when = isDated && say(view.freshness.isCurrent ? "asOf" : "notOfNow", { time: dated.moment(view.feed.measured_at) });
  return joined([sentenceOf(item, view, options), when].concat(view.freshness.details));
}

/* Local, for the name of a file: 2026-11-26-1440. */
function stampOf(epoch, zone) {
  var parts = { year: "numeric", month: "2-digit", day: "2-digit", hour: "2-digit", minute: "2-digit", timeZone: zone };
  var local = new Intl.DateTimeFormat("sv-SE", parts).format(new Date(epoch * 1000));
  return local.replace(/\D+/g, "-").replace(/-(\d\d)$/, "$1");
}
