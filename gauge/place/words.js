/* What the drawing of a place says. A wall in another language puts its own words in the place of these. */

var PLACE_WORDS = {
  graph: "Graph of the zones and passages",
  outside: "Outside",
  noCapacity: "No capacity",
};
