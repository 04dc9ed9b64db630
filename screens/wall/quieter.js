/* From when on the rest of the day is quieter, as the page Ahead tells it. Pure. */

/* Beside a number that is trusted and not 0, where it is open: what is closed today is no usual day. */
function quieterWords(day, view) {
  var from = day && day.quieter_from;
  if (!from || from <= view.now || !view.freshness.isTrusted || !(view.inside > 0) || view.level === "closed") {
    return "";
  }
  return say("quieter", { time: view.format.moment(from) });
}
