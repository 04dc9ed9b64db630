/* What depends on the time of day where the screen's place is: light or dark, dimmed or not. The time is the
 * server's; a television's own clock may be years off. */

var DAY = { begins: 7, ends: 19 }; // hours of the light theme, where the clock decides
var NIGHT = { begins: 22, ends: 6 }; // hours in which the screen is dimmed
var SHIFT = 1.2; // percent of the screen by which the picture wanders about its middle
var SHIFT_STEP = 1.2; // radians a minute

/* `minute` is null while the server's time is not known. */
function themeAt(theme, minute) {
  if (theme !== "clock") {
    return theme;
  }
  return minute !== null && minute >= DAY.begins * 60 && minute < DAY.ends * 60 ? "light" : "dark";
}

function isNight(minute) {
  return minute !== null && (minute >= NIGHT.begins * 60 || minute < NIGHT.ends * 60);
}

/* Where the picture stands in the minute `count`, as a CSS transform: no pixel shows the same for months. */
function shiftAt(count) {
  var along = (SHIFT * Math.cos(count * SHIFT_STEP)).toFixed(2);
  var down = (SHIFT * Math.sin(count * SHIFT_STEP)).toFixed(2);
  return "translate(" + along + "vw, " + down + "vh)";
}
