/* The link of a replay: what a relay's would be on that day, with a clock of its own that runs faster, stands or is
 * set. Nothing is asked of anybody while it plays. */

var SPEEDS = [1, 10, 60];
var REPLAY_STEP = 0.25; // seconds between two steps of the clock; of who wants nothing to move, a whole one
var LONGEST_STEP = 2; // seconds of ours; a machine that slept goes on where it was

/* options.replay is {recording, at, speed, isPaused}; the rest as for openRelayLink. link.player is
 *   recording, position, speed, isPlaying, play(), pause(), seek(epoch), setSpeed(times)
 */
function openReplayLink(options, listener) {
  var recording = recordingOf(options.replay.recording);
  var index = -1;
  var seen = {};
  var timer = null;
  var steppedAt = null;
  var isStill = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
  var player = { recording: recording, position: 0, speed: options.replay.speed, isPlaying: false };
  var link = { feeds: {}, heardAt: monotonic(), isOpen: true, lostAt: null, hasExpired: false, player: player };

  function last() {
    return recording.data.end - 1;
  }

  function stand(time) {
    player.position = Math.max(recording.data.start, Math.min(last(), time));
    var wanted = recording.indexAt(player.position);
    if (wanted !== index) {
      index = wanted;
      link.feeds = recording.feedsAt(index, seen);
    }
  }

  function step() {
    var now = monotonic();
    var elapsed = document.hidden ? 0 : Math.min(now - steppedAt, LONGEST_STEP);
    var before = index;
    var time = player.position + elapsed * player.speed;
    steppedAt = now;
    see(recording.crossedBetween(before, recording.indexAt(time)));
    stand(time);
    if (time >= last()) {
      player.pause();
    }
    listener.changed();
  }

  function see(crossed) {
    Object.keys(crossed).forEach(function (id) {
      var known = seen[id] || [0, 0];
      seen[id] = [known[0] + crossed[id][0], known[1] + crossed[id][1]];
    });
  }

  player.play = function () {
    if (!player.isPlaying && recording.length) {
      player.isPlaying = true;
      steppedAt = monotonic();
      stand(player.position >= last() - MINUTE ? recording.data.start : player.position); // at its end: again
      timer = setInterval(step, 1000 * (isStill ? 1 : REPLAY_STEP));
      listener.changed();
    }
  };

  player.pause = function () {
    clearInterval(timer);
    timer = null;
    player.isPlaying = false;
    listener.changed();
  };

  /* Who crossed in what is passed over is not seen to cross. */
  player.seek = function (time) {
    stand(time);
    listener.changed();
  };

  player.setSpeed = function (times) {
    player.speed = times;
    listener.changed();
  };

  link.hidesSpoilt = true;
  link.serverNow = function () {
    return player.position;
  };
  link.retryIn = function () {
    return null;
  };
  /* What stands is not getting old. */
  link.tick = function () {
    Object.keys(link.feeds).forEach(function (name) {
      link.feeds[name].receivedAt = monotonic();
    });
  };
  link.renew = link.reconnectNow = link.rest = function () {};
  link.close = function () {
    clearInterval(timer);
    clearTimeout(begun);
  };

  stand(options.replay.at);
  var begun = isStill || options.replay.isPaused ? null : setTimeout(player.play, 0);
  return link;
}
