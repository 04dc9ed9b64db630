/* Clocks and days as people of one locale write them: the same, letter for letter, as Python writes them on the
 * pages (components/number_format.py). Marks of direction and kinds of spaces vary from browser to browser. */

/* The language of the words around them. Who reads another one has British dates, and their own 12 or 24 hours. */
var tongue = "en";

/* {time, moment, toCome, clock} of a locale and a zone that this browser knows; times are in seconds since 1970. */
function momentsOf(locale, zone) {
  var own = inLatinDigits(locale);
  var tag = own.split("-")[0] === tongue ? own : inLatinDigits("en-GB");
  var day = { weekday: "short", day: "numeric", month: "short" };
  var hour = { hour: "numeric", minute: "2-digit" };
  if (!new Intl.DateTimeFormat(own, { hour: "numeric" }).resolvedOptions().hour12) {
    hour = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" };
  } else if (tag !== own) {
    hour.hourCycle = "h12";
  }
  var inClock = writer(tag, "UTC", hour);
  var inTime = writer(tag, zone, hour);
  var inDay = writer(tag, zone, day);
  var inDate = writer(tag, zone, Object.assign({ year: "numeric" }, day));
  var inWeek = writer(tag, zone, { weekday: "short" });
  var inYear = writer("en", zone, { year: "numeric" });

  function unbroken(text) {
    return text.replace(/\s/g, "\u00a0");
  }
  /* What the clocks show twice says which of the two it is: "02:30 CEST". By half an hour they go back on Lord Howe. */
  function time(epoch) {
    var shown = inTime(epoch);
    var isTwice = [-3600, -1800, 1800, 3600].some(function (seconds) {
      return inTime(epoch + seconds) === shown;
    });
    return unbroken(isTwice ? shown + " " + zoneName(epoch) : shown);
  }
  /* As Python names it: British English knows zones of Europe by their letters, American English those of America. */
  function zoneName(epoch) {
    var names = [tag, "en-GB", "en-US"].map(function (one) {
      return writer(one, zone, { timeZoneName: "short" })(epoch).split(" ").pop();
    });
    return names.filter(function (name) {
      return !/\d/.test(name);
    })[0] || names[0];
  }
  function moment(epoch, now) {
    if (inDate(epoch) === inDate(now)) {
      return time(epoch);
    }
    return (inYear(epoch) === inYear(now) ? inDay : inDate)(epoch) + ", " + time(epoch);
  }
  return {
    /* The clock, where the day is plain. */
    time: time,
    /* The clock of the day of `now`; day and clock of another one, and the year of another one. */
    moment: moment,
    /* Of what is to come within six days the weekday says which day; read from afar. */
    toCome: function (epoch, now) {
      if (inDate(epoch) === inDate(now) || epoch < now || epoch - now > 6 * 86400) {
        return moment(epoch, now);
      }
      return unbroken(inWeek(epoch)) + "\u00a0" + time(epoch);
    },
    /* Minutes after midnight as a clock shows them. */
    clock: function (minutes) {
      return unbroken(inClock(minutes * 60));
    },
  };
}

/* The locale with the digits and the calendar that Python writes; the browser's own where there is none. */
function inLatinDigits(locale) {
  var reported = locale || new Intl.NumberFormat().resolvedOptions().locale;
  return reported.split("-u-")[0] + "-u-ca-gregory-nu-latn";
}

function writer(tag, zone, parts) {
  var format = new Intl.DateTimeFormat(tag, Object.assign({ timeZone: zone }, parts));
  return function (epoch) {
    return format
      .format(new Date(epoch * 1000))
      .replace(/[\u200e\u200f]/g, "")
      .replace(/[\u00a0\u202f]/g, " ");
  };
}
