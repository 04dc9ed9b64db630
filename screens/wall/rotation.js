/* Which view is shown and for how long already. Time is the monotonic clock's, in seconds. */

function rotationOf(drawings, turned) {
  var place = 0;
  var since = monotonic();

  function show() {
    drawings.forEach(function (drawing, other) {
      drawing.node.hidden = other !== place;
    });
  }

  show();
  return {
    current: function () {
      return drawings[place];
    },
    shownFor: function () {
      return monotonic() - since;
    },
    /* To be called about once a second. `turned` is told of each end of a turn, also of a single view. */
    tick: function () {
      if (monotonic() - since >= drawings[place].seconds()) {
        place = (place + 1) % drawings.length;
        since = monotonic();
        show();
        turned();
      }
    },
  };
}
