/* The count of somebody who stands at a door, as the browser keeps it: one at a time, whole after each tap.
 *
 * A count is {id, site, door, label, began, ended, ahead, taps: [[when, 1 in | -1 out]]}; times are milliseconds by the
 * phone's own clock, which goes on while the phone is locked and over a reload; `ended` is null while it lasts.
 * `ahead` is by how much the service's clock is ahead of it, at least.
 */

var KEPT_AS = "headroom-door-check";
var IN = 1;
var OUT = -1;
var MINUTE = 60000;

var unkept = null; // what stands, where the browser keeps nothing
var isKept = true;

function phoneTime() {
  return Date.now();
}

/* Always as it is kept: another tab may count on. */
function readCount() {
  if (!isKept) {
    return unkept;
  }
  try {
    var count = JSON.parse(localStorage.getItem(KEPT_AS));
    return count && Array.isArray(count.taps) ? count : null;
  } catch (_) {
    return unkept;
  }
}

function keepCount(count) {
  unkept = count;
  try {
    if (count) {
      localStorage.setItem(KEPT_AS, JSON.stringify(count));
    } else {
      localStorage.removeItem(KEPT_AS);
    }
    isKept = true;
  } catch (_) {
    isKept = false;
  }
}

function changeCount(change) {
  var count = readCount();
  if (count) {
    change(count);
    keepCount(count);
  }
}

function beginCount(data, ahead) {
  var now = phoneTime();
  keepCount({
    id: now.toString(36) + "-" + Math.random().toString(36).slice(2, 12),
    site: data.site,
    door: data.door,
    label: data.label,
    began: now,
    ended: null,
    ahead: ahead,
    taps: [],
  });
}

function tapped(way) {
  changeCount(function (count) {
    if (count.ended === null) {
      count.taps.push([phoneTime(), way]);
    }
  });
}

function tapsOf(count, way) {
  return count.taps.filter(function (tap) {
    return tap[1] === way;
  }).length;
}

/* Minutes of the service's clock that lie in the count as a whole. */
function wholeMinutes(count, until) {
  var first = Math.ceil((count.began + count.ahead) / MINUTE);
  return Math.max(0, Math.floor((until + count.ahead) / MINUTE) - first);
}

function handedOver(count, ahead) {
  return {
    id: count.id,
    site: count.site,
    door: count.door,
    began: count.began,
    ended: count.ended,
    sent: phoneTime(),
    ahead: Math.max(count.ahead, ahead),
    taps: count.taps,
  };
}
