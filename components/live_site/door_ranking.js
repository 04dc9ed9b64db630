/* The doors of a site by how many came in by them today, as they were read, with the age of that.
 *
 * data is {locale, timezone, now, read_at, rows: [{title, whole, count, note}]}; times are epoch seconds by the
 * server's clock; count is null where it is not known, and note says why.
 */

var OLD_READ = 120; // seconds; the page reads again each minute, and answers are shared for half of one

function doorList(parent) {
  var root = document.createElement("div");
  root.className = "headroom";
  parent.appendChild(root);
  var list = rankingInto(root, WORDS.doorsByEntrances);
  var data = null;
  var receivedAt = 0;

  function draw() {
    var now = data.now + monotonic() - receivedAt;
    var age = now - data.read_at;
    var format = formatFor(data.locale, data.timezone, now);
    var rows = data.rows.map(function (row) {
      return Object.assign({ isTrusted: age <= OLD_READ }, row);
    });
    list.draw(rows, doorsNote(rows, data.read_at, age, format), format);
  }
  var timer = setInterval(draw, 1000);
  return {
    update: function (fresh) {
      data = fresh;
      receivedAt = monotonic();
      draw();
    },
    close: function () {
      clearInterval(timer);
      parent.removeChild(root);
    },
  };
}

function doorsNote(rows, readAt, age, format) {
  var unknown = rows.length - rows.filter(isCounted).length;
  var shares = unknown ? say("notAllCounted", { n: unknown, all: rows.length }) : WORDS.sharesOfDoors;
  return joined([say("readAt", { time: format.moment(readAt), ago: format.ago(age) }), shares]);
}

const lists = new WeakMap();

export default function ({ data, parentElement }) {
  const list = lists.get(parentElement) || doorList(parentElement);
  lists.set(parentElement, list);
  list.update(data);
  return () => {
    list.close();
    lists.delete(parentElement);
  };
}
