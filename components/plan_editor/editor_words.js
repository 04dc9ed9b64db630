/* What the editor of a floor plan says. */

var EDITOR_WORDS = {
  first:
    "Press “Place” beside a zone below: its marker then stands on the picture, to be dragged to where the zone is, " +
    "or moved with the arrow keys (with Shift in larger steps).",
  how: "Drag each marker to its place, or choose one and move it with the arrow keys (with Shift in larger steps).",
  ofPassages:
    "A passage stands where people walk through it. One between two placed zones needs no place: it is drawn between " +
    "them.",
  sheet: "Floor plan with markers",
  picture: "Floor plan",
  noPicture: "The picture could not be loaded. Reload the page.",
  zones: "Zones",
  passages: "Passages",
  place: "Place",
  takeOff: "Take off",
  placeIt: "Place {name} on the plan",
  takeItOff: "Take {name} off the plan",
  marker: { zones: "Zone {name}", passages: "Passage {name}" },
  between: "{about}, drawn between them",
  where: "{x} % from the left, {y} % from the top",
  keep: "Keep these places",
  kept: "All places are kept. Walls that are drawn on this plan follow within seconds.",
  nothing: "Nothing is placed yet.",
  changed: "What you placed is not kept yet.",
  overtaken: "Since you began, somebody has changed this plan. Your places still stand here, and are not kept.",
  keepMine: "Keep mine instead",
  takeTheirs: "Take theirs",
  undoAll: "Undo what is not kept",
};

function editorWords(text, values) {
  return text.replace(/\{(\w+)\}/g, function (whole, key) {
    return values[key];
  });
}
