/* When a place is closed, by the opening hours that its dashboard keeps. Whoever would be told to come in there, or told
 * nothing, is told that instead. Pure. */

/* The view of an item, told as closed. Where as many are inside as fill it, it is open whatever its hours say.
 * `options.closed` has, by site, [begin, end] of its closed times in epoch seconds; an end of null is not known. */
function toldClosed(view, item, options) {
  var site = item.feed.split("/")[0];
  // Its name is not ours: one may be `constructor`.
  var spans = Object.prototype.hasOwnProperty.call(options.closed || {}, site) ? options.closed[site] : [];
  var now = spans.filter(function (span) {
    return view.now !== null && span[0] <= view.now && (span[1] === null || view.now < span[1]);
  })[0];
  var isInvited = view.level === "free" || view.level === "unknown";
  return now && isInvited ? Object.assign({}, view, { level: "closed", opensAt: now[1] }) : view;
}

/* Empty where it is not known, and of a view that is not told as closed. */
function opensWords(view) {
  return view.opensAt ? say("opens", { time: dayUnbroken(view.format.toCome(view.opensAt)) }) : "";
}

/* A line may end between a day and its clock, and nowhere else. */
function dayUnbroken(moment) {
  return moment.replace(/ /g, "\u00a0").replace(/,\u00a0(?=[^,]*$)/, ", ");
}
