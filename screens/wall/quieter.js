/* From when on the rest of a usual day is quieter. Pure. */

var QUIETER = 2 / 3; // of the highest that is usual from now on
var FEWEST_INSIDE = 10; // of whom it is told: a few more or less are nothing to wait for
var HALF_HOUR = 30; // minutes to which it is told
var STAYS = 60; // minutes for which people are still inside then: what closes is not quieter

/* Minutes after midnight from which `typical` stays clearly below its highest from `minute` on; null while it is not
 * that busy, and where that is not known, or too soon before the end. */
function quieterFrom(typical, minute) {
  var present = usualAt(typical, minute);
  var rest = typical.filter(function (point) {
    return point[0] >= minute;
  });
  var limit = QUIETER * rest.reduce(function (most, point) {
    return Math.max(most, point[1]);
  }, present || 0);
  if (present === null || present < limit || limit < QUIETER * FEWEST_INSIDE) {
    return null;
  }
  var last = -1;
  rest.forEach(function (point, position) {
    last = point[1] >= limit ? position : last;
  });
  var after = rest[last + 1];
  if (!after || (last >= 0 && !isNextTo(rest[last], after))) {
    return null;
  }
  var from = Math.ceil((after[0] - USUAL_STEP / 2) / HALF_HOUR) * HALF_HOUR;
  return usualAt(rest, from + STAYS) > 0 ? from : null;
}

/* Beside a number that is trusted and not 0: what is closed today is no usual day. */
function quieterWords(day, view) {
  if (!day || !view.freshness.isTrusted || !(view.inside > 0)) {
    return "";
  }
  var from = quieterFrom(day.typical, minuteOfDay(view.now, day.timezone));
  return from === null ? "" : say("quieter", { time: view.format.clock(from) });
}
