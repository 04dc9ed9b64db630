/* Keeps the screen on while somebody counts. `changed` is called with "on", "off" (for now), "none": the browser has no
 * such thing, or keeps it from pages without HTTPS, or "refused". */

function screenKeeper(changed) {
  var isWanted = false;
  var lock = null;

  function ask() {
    if (!isWanted || lock || document.hidden) {
      return;
    }
    if (!navigator.wakeLock) {
      changed("none");
      return;
    }
    navigator.wakeLock.request("screen").then(held, function () {
      changed("refused");
    });
  }

  function held(granted) {
    if (!isWanted || lock) {
      granted.release();
      return;
    }
    lock = granted;
    changed("on");
    granted.addEventListener("release", function () {
      lock = null;
      changed("off");
    });
  }

  document.addEventListener("visibilitychange", ask);
  return {
    want: function (wanted) {
      if (wanted !== isWanted) {
        isWanted = wanted;
        ask();
        if (!isWanted && lock) {
          lock.release();
        }
      }
    },
    close: function () {
      document.removeEventListener("visibilitychange", ask);
      this.want(false);
    },
  };
}
