/* Where a marker stands first: between the zones of a passage, else in the middle; not on another marker. */

var BESIDE = 0.06; // share of the picture between two that nobody has moved yet,
var FINGER = 48; // and pixels at least

/* `draft` are spots by kind and id, `width` is that of the picture in pixels. */
function freeSpot(item, draft, width) {
  var near = item.between
    .map(function (id) {
      return draft.zones[id];
    })
    .filter(Boolean);
  var beside = Math.max(BESIDE, FINGER / Math.max(1, width));
  var x = near.length ? mean(near, "x") + (near.length < 2 ? beside : 0) : 0.5;
  var y = near.length ? mean(near, "y") : 0.5;
  for (var tries = 0; tries < 40 && isTaken(draft, x, y, beside / 2); tries += 1) {
    x = x + beside > 1 ? beside : x + beside;
    y = tries % 8 === 7 ? (y + beside) % 1 : y;
  }
  return { x: share(x), y: share(y) };
}

function isTaken(draft, x, y, near) {
  return KINDS.some(function (kind) {
    return Object.keys(draft[kind]).some(function (id) {
      return Math.hypot(draft[kind][id].x - x, draft[kind][id].y - y) < near;
    });
  });
}

function mean(spots, side) {
  return (
    spots.reduce(function (sum, spot) {
      return sum + spot[side];
    }, 0) / spots.length
  );
}
