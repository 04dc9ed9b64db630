/* Letters as large as their room allows, whatever its shape and whatever the words of the language. */

var FIT_STEPS = 10;
var SMALLEST_TEXT = 3; // percent of the shorter side; smaller is not read from afar

/* A function that sets the size of the letters of `node`, in which everything else is measured, to the largest at
 * which `fits()` holds. It measures anew only when the room or `words` are others. */
function fitting(node, fits) {
  var kept = "";
  return function (words) {
    var wanted = node.clientWidth + " " + node.clientHeight + " " + words;
    if (wanted === kept || !node.clientWidth) {
      return;
    }
    kept = wanted;
    var least = (SMALLEST_TEXT * shorterSide()) / 100;
    var most = node.clientHeight;
    for (var step = 0; step < FIT_STEPS; step += 1) {
      var middle = (least + most) / 2;
      node.style.fontSize = middle + "px";
      if (fits()) {
        least = middle;
      } else {
        most = middle;
      }
    }
    node.style.fontSize = Math.floor(least * 10) / 10 + "px";
  };
}

/* Whether `inner`, which stands in the middle of `node`, stays inside of it. */
function isInside(inner, node) {
  return inner.offsetHeight <= node.clientHeight && inner.scrollWidth <= inner.clientWidth;
}

/* Makes a number of more than `digits` smaller, so that it stays inside of its dial. */
function shrinkNumber(node, digits) {
  var number = node.querySelector(".number");
  number.style.setProperty("--shrink", Math.min(1, digits / number.textContent.length));
}

/* In pixels; of a very wide screen, a quarter of its width at least. */
function shorterSide() {
  return Math.min(window.innerWidth, Math.max(window.innerHeight, window.innerWidth / 4));
}
