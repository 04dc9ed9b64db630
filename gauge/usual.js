/* How a count compares with a typical day of the same weekday, at the same time of day. Pure.
 *
 * A typical day is {timezone, day_start, typical: [[minutes after local midnight, people inside]]}, ascending; each
 * point is the mean of a quarter of an hour and lies in its middle, but those at midnight, which are of a minute. */

var AS_USUAL = 0.03; // part of the usual by which a count may differ and still be called so
var USUAL_STEP = 15; // minutes between two points of a typical day, at most

/* Minutes after local midnight. */
function minuteOfDay(epoch, timezone) {
  var format = minuteOfDay.kept[timezone];
  if (!format) {
    var parts = { hour: "2-digit", minute: "2-digit", hourCycle: "h23", timeZone: timezone };
    format = minuteOfDay.kept[timezone] = new Intl.DateTimeFormat("en-GB", parts);
  }
  var text = format.format(new Date(epoch * 1000)).split(":");
  return (Number(text[0]) % 24) * 60 + Number(text[1]);
}
minuteOfDay.kept = {};

/* On the straight line between two neighbours. Null where one is missing, as before the first and after the last: a
 * mean alone does not tell where within its quarter of an hour the number rose or fell. */
function usualAt(typical, minute) {
  for (var position = 1; position < typical.length; position += 1) {
    var before = typical[position - 1];
    var after = typical[position];
    if (before[0] <= minute && minute <= after[0] && isNextTo(before, after)) {
      return before[1] + ((after[1] - before[1]) * (minute - before[0])) / (after[0] - before[0]);
    }
  }
  return null;
}

/* Whether there is a line to draw: of a service that tells hours, no quarter has one beside it. */
function hasCurve(typical) {
  return typical.some(function (point, position) {
    return position > 0 && point[0] - typical[position - 1][0] === USUAL_STEP;
  });
}

function isNextTo(before, after) {
  return after[0] - before[0] <= USUAL_STEP;
}

/* Of the minute that was counted, and not of now. Empty where there is nothing to compare, and of a number that is so
 * old that it says nothing of this hour. `when` is for words that tell it. */
function comparisonWords(view, day, when) {
  var at = day && view.inside !== null ? view.feed.measured_at : null;
  var isOfToday = at !== null && at >= day.day_start && view.age <= USUAL_STEP * MINUTE;
  var usual = isOfToday ? usualAt(day.typical, minuteOfDay(at, day.timezone)) : null;
  if (usual === null || !view.freshness.isTrusted) {
    return "";
  }
  var difference = Math.round(view.inside - usual);
  var count = { n: view.format.number(Math.abs(difference)), when: when };
  return say(Math.abs(difference) <= AS_USUAL * usual ? "asUsual" : difference > 0 ? "more" : "fewer", count);
}

/* The typical day of an item, where it is compared and one is known. */
function usualDay(item, view, options) {
  return options.usual && item.compares ? options.usual.dayOf(item.feed, view.now) : null;
}

function usualWords(item, view, options) {
  var day = usualDay(item, view, options);
  return day ? comparisonWords(view, day, item.kind === "hero" ? say("atThisHour", day) : "") : "";
}

/* [epoch seconds, people inside] of the usual in the last `span` seconds, as far as they are of today. */
function usualLine(day, now, span) {
  var line = [];
  for (var time = Math.ceil((now - span) / MINUTE) * MINUTE; time <= now; time += MINUTE) {
    var usual = time < day.day_start ? null : usualAt(day.typical, minuteOfDay(time, day.timezone));
    if (usual !== null) {
      line.push([time, usual]);
    }
  }
  return line;
}
