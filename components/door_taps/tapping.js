/* What somebody at a door sees: Start, then In and Out with their counts, Undo and Stop, then Compare.
 *
 * data is {site, door, label, into, other, now, kept, heard, refused, reason, locale}: `now` is the service's time
 * in milliseconds, `kept` are ids of counts that the dashboard keeps; `heard` is that of the one it compares, `refused`
 * that of one that cannot be, for `reason`.
 */

var UNSENT_AFTER = 12000; // milliseconds

function spanText(milliseconds) {
  var seconds = Math.max(0, Math.floor(milliseconds / 1000));
  var minutes = Math.floor(seconds / 60);
  return minutes ? minutes + " min " + (seconds % 60) + " s" : seconds + " s";
}

function wholeText(number) {
  return number ? (number === 1 ? WORDS.wholeOne : words("whole", { n: number })) : WORDS.wholeNone;
}

/* How long until the first whole minute is over; nothing once it is. */
function untilWholeText(count, now) {
  var left = firstWholeMinute(count) + MINUTE - (now + count.ahead);
  return left > 0 ? words("wholeIn", { span: spanText(left + 999) }) : "";
}

function tapping(root, hand) {
  var data = null;
  var ahead = -Infinity;
  var awakeState = "off";
  var sentAt = null;
  var isLate = false;
  var isCompared = false;
  var leading = null; // the part of the page that is shown
  var keeper = screenKeeper(function (state) {
    awakeState = state;
    draw();
  });

  var idle = part("div", "idle", root);
  leadInto(idle, WORDS.before);
  button("main", idle, WORDS.start, function () {
    beginCount(data, ahead);
    sentAt = null;
    isCompared = false;
    draw();
  });

  var counting = sheet("counting", root);
  var where = leadInto(counting.node);
  var taps = part("div", "taps", counting.node);
  var came = tapButton("in", taps, IN, draw);
  var went = tapButton("out", taps, OUT, draw);
  var below = part("div", "row", counting.node);
  var undo = button("quiet", below, WORDS.undoNone, function () {
    changeCount(function (count) {
      count.taps.pop();
    });
    draw();
    if (undo.disabled) {
      where.focus(); // a button that can be pressed no more loses it
    }
  });
  button("quiet", below, WORDS.stop, function () {
    changeCount(function (count) {
      count.ended = phoneTime();
    });
    draw();
  });

  var stopped = part("div", "stopped", root);
  var told = leadInto(stopped);
  var compare = button("main", stopped, WORDS.compare, function () {
    sentAt = phoneTime();
    isLate = false;
    hand(handedOver(readCount(), ahead));
    draw();
    told.focus();
  });
  var after = part("div", "row", stopped);
  var goOn = button("quiet", after, WORDS.goOn, function () {
    changeCount(function (count) {
      count.ended = null;
    });
    sentAt = null;
    draw();
  });
  discardButton(after, draw);
  var short = part("p", "note", stopped);
  var note = part("p", "note", stopped, WORDS.goOnNote);

  var elsewhere = part("div", "elsewhere", root);
  var other = leadInto(elsewhere);
  var beside = part("div", "row", elsewhere);
  var there = part("a", "quiet", beside, WORDS.goThere);
  discardButton(beside, draw);

  var damaged = part("div", "damaged", root);
  var readable = leadInto(damaged);
  discardButton(part("div", "row", damaged), draw);

  var clock = part("p", "note", counting.node);
  var warning = part("p", "note", counting.node);
  var state = part("p", "note", root);
  [warning, state].forEach(function (node) {
    node.setAttribute("role", "status");
  });

  function draw() {
    var focused = root.getRootNode().activeElement; // before anything is hidden
    var kept = readKept();
    var count = kept.count;
    if (count && data.kept.indexOf(count.id) >= 0) {
      keepCount(null);
      count = null;
      sentAt = null;
      isCompared = true;
    }
    if (sentAt !== null && phoneTime() - sentAt > UNSENT_AFTER) {
      isLate = true;
    }
    var isHere = count && count.site === data.site && count.door === data.door;
    var isCounting = Boolean(isHere && count.ended === null);
    idle.hidden = Boolean(count || kept.damaged);
    damaged.hidden = !kept.damaged;
    if (kept.damaged) {
      var values = { came: number(tapsOf(kept.damaged, IN)), went: number(tapsOf(kept.damaged, OUT)) };
      setText(readable, words("damaged", values));
    }
    counting.show(isCounting);
    stopped.hidden = !isHere || isCounting;
    elsewhere.hidden = !count || isHere;
    keeper.want(isCounting);
    lead(isCounting ? counting.node : isHere ? stopped : count ? elsewhere : kept.damaged ? damaged : idle, focused);
    if (isCounting) {
      drawCounting(count);
    } else if (isHere) {
      drawStopped(count);
    } else if (count) {
      setText(other, words("elsewhere", { door: count.label, taps: tapsText(count) }));
      there.href =
        location.pathname +
        "?site=" + encodeURIComponent(count.site) +
        "&door=" + encodeURIComponent(count.door);
    }
    var said = stateText(count, isCounting, isHere);
    setText(warning, isCounting ? said : "");
    setText(state, isCounting ? "" : said);
  }

  /* What somebody had in focus goes with its part: who reads on, or has it read aloud, reads the next one. */
  function lead(next, focused) {
    var before = leading;
    leading = next;
    if (before && before !== next) {
      turned();
    }
    if (!before || before === next || next === counting.node) {
      return; // the sheet takes it by itself
    }
    if (before === counting.node || before.contains(focused)) {
      next.querySelector(".told").focus();
    }
  }

  function drawCounting(count) {
    var last = count.taps[count.taps.length - 1];
    came.draw(number(tapsOf(count, IN)), words("into", { place: data.into }));
    went.draw(number(tapsOf(count, OUT)), words("to", { place: data.other }));
    undo.disabled = !last;
    var now = phoneTime();
    var values = { span: spanText(now - count.began), whole: wholeText(wholeMinutes(count, now)) };
    setText(clock, words("counting", values) + untilWholeText(count, now));
    setText(where, count.label);
    counting.node.setAttribute("aria-label", words("countingAt", { door: count.label }));
    setText(undo, last ? words("undo", { way: last[1] === IN ? WORDS.in : WORDS.out }) : WORDS.undoNone);
  }

  function drawStopped(count) {
    var values = {
      came: number(tapsOf(count, IN)),
      went: number(tapsOf(count, OUT)),
      span: spanText(count.ended - count.began),
      whole: wholeText(wholeMinutes(count, count.ended)),
    };
    setText(told, words("stopped", values));
    var isShort = !wholeMinutes(count, count.ended);
    var left = untilWholeText(count, phoneTime());
    short.hidden = !isShort || data.heard === count.id;
    setText(short, isShort ? WORDS.tooShort + (left || WORDS.wholeNow) : "");
    goOn.disabled = data.heard === count.id;
    note.hidden = goOn.disabled;
    compare.disabled = goOn.disabled || (sentAt !== null && !isLate);
  }

  function stateText(count, isCounting, isHere) {
    var said = [];
    if (isCounting) {
      said.push({ on: WORDS.awakeOn, none: WORDS.awakeNone, refused: WORDS.awakeRefused }[awakeState] || "");
    } else if (isHere && data.heard === count.id) {
      said.push(WORDS.heard);
    } else if (isHere && sentAt !== null) {
      said.push(isLate ? WORDS.unsent : WORDS.sending);
    } else if (isHere && data.refused === count.id) {
      said.push(data.reason);
    } else if (!count && isCompared) {
      said.push(WORDS.compared);
    }
    said.push(count && !isKept ? WORDS.unkept : "");
    return said.filter(Boolean).join(" ");
  }

  function number(value) {
    return new Intl.NumberFormat(data.locale || "en-GB").format(value);
  }

  var timer = setInterval(draw, 1000);
  window.addEventListener("storage", draw);
  return {
    update: function (fresh, receivedAt) {
      data = fresh;
      ahead = Math.max(ahead, fresh.now - receivedAt);
      var count = readCount();
      if (count && (fresh.refused === count.id || fresh.heard === count.id)) {
        sentAt = null;
      }
      draw();
    },
    close: function () {
      clearInterval(timer);
      window.removeEventListener("storage", draw);
      keeper.close();
      came.close();
      went.close();
      root.remove();
    },
  };
}
