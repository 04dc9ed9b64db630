/* What all pictures have in common, whoever draws what is in them: their size, and the letters of title and words. */

const PICTURE = {
  width: 1200, // pixels; a PNG has twice as many
  times: 2,
  edge: 24,
  line: 1.3, // of the size of its letters
  title: 22,
  words: 14,
  font: '"Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif', // a picture has those of its reader alone
  patience: 30000, // milliseconds in which a browser draws it
  failed: "The picture could not be drawn. Reload the page and try again.",
};

/* Broken at spaces where there are any: letters of some scripts are twice as wide, and stand without. */
function linesOf(text, size) {
  const pen = document.createElement("canvas").getContext("2d");
  pen.font = size + "px " + PICTURE.font;
  const lines = [];
  let line = "";
  for (const letter of text) {
    if (line && pen.measureText(line + letter).width > PICTURE.width - 2 * PICTURE.edge) {
      const space = letter === " " ? line.length : line.lastIndexOf(" ");
      const end = space > 0 ? space : line.length;
      lines.push(line.slice(0, end));
      line = line.slice(end).trimStart();
    }
    line += letter;
  }
  return lines.concat(line.trimStart());
}
