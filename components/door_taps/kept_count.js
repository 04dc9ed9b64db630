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
var MOST_TIME = 1e13; // milliseconds, as the dashboard takes them
var MOST_LATE = 30000; // milliseconds by which the dashboard may have told its time too late

var unkept = null; // what stands, where the browser keeps nothing
var isKept = true;

function phoneTime() {
  return Date.now();
}

/* Always as it is kept: another tab may count on. What stands there and is no count is `damaged`. */
function readKept() {
  if (!isKept) {
    return { count: unkept, damaged: null };
  }
  try {
    var text = localStorage.getItem(KEPT_AS);
  } catch (_) {
    return { count: unkept, damaged: null };
  }
  try {
    var found = JSON.parse(text);
  } catch (_) {
    found = {};
  }
  return text === null || isCount(found) ? { count: found, damaged: null } : { count: null, damaged: found || {} };
}

function readCount() {
  return readKept().count;
}

function isTime(value) {
  return typeof value === "number" && value > 0 && value < MOST_TIME;
}

function isTap(value) {
  return Array.isArray(value) && value.length === 2 && isTime(value[0]) && (value[1] === IN || value[1] === OUT);
}

/* Whether it is all that a count is, as `beginCount` makes it. */
function isCount(value) {
  return (
    typeof value === "object" &&
    value !== null &&
    /^[0-9a-z-]{8,64}$/.test(value.id) &&
    [value.id, value.site, value.door, value.label].every(function (text) {
      return typeof text === "string";
    }) &&
    isTime(value.began) &&
    (value.ended === null || isTime(value.ended)) &&
    typeof value.ahead === "number" &&
    Math.abs(value.ahead) < MOST_TIME &&
    Array.isArray(value.taps) &&
    value.taps.every(isTap)
  );
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

/* Also of one that is damaged. */
function tapsOf(count, way) {
  return (Array.isArray(count.taps) ? count.taps : []).filter(function (tap) {
    return isTap(tap) && tap[1] === way;
  }).length;
}

/* When the first minute of the service's clock begins that lies in the count as a whole, by that clock. */
function firstWholeMinute(count) {
  return MINUTE * Math.ceil((count.began + count.ahead) / MINUTE);
}

/* Minutes of the service's clock that lie in the count as a whole. */
function wholeMinutes(count, until) {
  return Math.max(0, Math.floor((until + count.ahead - firstWholeMinute(count)) / MINUTE));
}

/* By how much the service is ahead, is told too late, and better later. Where that is far more, a clock was set
 * meanwhile: then what was told first is handed over, and nothing is compared. */
function handedOver(count, ahead) {
  return {
    id: count.id,
    site: count.site,
    door: count.door,
    began: count.began,
    ended: count.ended,
    sent: phoneTime(),
    ahead: ahead - count.ahead > MOST_LATE ? count.ahead : Math.max(count.ahead, ahead),
    taps: count.taps,
  };
}
