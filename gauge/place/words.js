/* What the drawing of a place says. A wall in another language puts its own words in the place of these. */

var PLACE_WORDS = {
  graph: "Graph of the zones and passages",
  outside: "Outside",
  noPicture: "The picture of the floor could not be loaded.",
  noCapacity: "No capacity",
  crossed: "{forward} this way, {backward} back",
  minutesOf: "counted in {n} of {all} minutes", // as page_words.js and `portion` in Python
  notCounted: "not counted in the last hour",
  notRead: "not read",
  lastHour: "In the last hour, read {time} ({ago})",
  lastHourStill: "In the last hour, read {time}",
  reading: "In the last hour, being read",
  widest: "the widest side is {n} people",
  notLately: "Not read since {time}",
  pointAt:
    "A line has a side for each direction, as wide as people crossed. " +
    "Point at one, tap it, or walk through them with the arrow keys, for its numbers.",
};
