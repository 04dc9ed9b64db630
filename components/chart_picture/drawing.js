/* A chart as a picture of its own, on white and of one size, with its title and what is to be known of it above.
 *
 * It is drawn by the library that drew the chart, of what the chart has in the page: nothing is sent twice, nothing
 * loaded. Streamlit (1.67) hands that library (plotly.js 4.2) to nobody, so the camera among the chart's tools is
 * pressed, upon a stand-in for the chart. */

const WIDTH = 1200; // pixels; a PNG has twice as many
const LEAST_HEIGHT = 675;
const EDGE = 24;
const ROOM = 16; // pixels on both sides
const LINE = 1.3; // of the size of its letters
const TITLE = 22;
const WORDS = 14;
const INK = "#16191d";
const QUIET = "#59616b";
const FONT = '"Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif'; // a picture has those of its reader alone
const PATIENCE = 30000; // milliseconds in which a browser draws it

/* `told` is what the component is given. Promises that the file is handed to the browser; refuses with a sentence. */
function savePicture(chart, format, told) {
  return new Promise((resolve, refuse) => {
    const file = told.file + "." + format;
    const why = "The picture could not be drawn. Reload the page and try again.";
    const waiting = setTimeout(end, PATIENCE, () => refuse(why));
    function handedOver(event) {
      if (event.target.download === file) {
        end(() => resolve(file));
      }
    }
    function end(tell) {
      clearTimeout(waiting);
      document.removeEventListener("click", handedOver, true);
      tell();
    }
    document.addEventListener("click", handedOver, true); // a download is a link that is pressed
    try {
      press(chart, pictureOf(chart, told), { format, filename: told.file, scale: format === "png" ? 2 : 1 });
    } catch {
      end(() => refuse(why));
    }
  });
}

function press(chart, picture, options) {
  const { width, height } = picture.layout;
  const toImageButtonOptions = Object.assign({ width, height }, options);
  const camera = chart._fullLayout._modeBar.buttons.flat().find((button) => button.name === "toImage");
  const context = Object.assign({}, chart._context, { displayNotifier: false, toImageButtonOptions });
  camera.click(Object.assign(picture, { config: chart._context, _context: context }));
}

function pictureOf(chart, told) {
  const layout = onWhite(chart.layout, told.colours);
  const margin = Object.assign({}, layout.template.layout.margin, layout.margin);
  const head = [linesOf(told.title, TITLE), told.words.flatMap((words) => linesOf(words, WORDS))];
  const room = EDGE + LINE * (TITLE * head[0].length + WORDS * head[1].length) + WORDS;
  const height = Math.round(Math.max(LEAST_HEIGHT, (layout.height || 0) + room));
  layout.title = {
    ...{ text: head[0].map(asText).join("<br>"), font: { size: TITLE, color: INK }, automargin: false },
    ...{ subtitle: { text: head[1].map(asText).join("<br>"), font: { size: WORDS, color: QUIET } } },
    ...{ xref: "container", x: EDGE / WIDTH, xanchor: "left" },
    ...{ yref: "container", y: 1 - (EDGE + TITLE / 2) / height, yanchor: "bottom" },
  };
  const { l, r, t } = margin;
  layout.margin = Object.assign(margin, { l: l + ROOM, r: r + ROOM, t: t + room });
  if (layout.legend && layout.legend.yref === "container") {
    layout.legend.y = 1 - room / height;
  }
  if (layout.meta && layout.meta.ticktextOfPicture) {
    layout.yaxis.ticktext = layout.meta.ticktextOfPicture;
    delete layout.meta; // where there is one, the library reads placeholders in a title
  }
  layout.font = Object.assign({}, layout.template.layout.font, layout.font, { family: FONT });
  Object.assign(layout, { width: WIDTH, height, paper_bgcolor: "#ffffff" });
  return { data: onWhite(chart.data, told.colours), layout };
}

/* A copy, in the colours for white, as opaque as they are; a list of numbers is the chart's own. */
function onWhite(part, colours) {
  if (typeof part === "string") {
    const [colour, opacity] = [part.slice(0, 7), part.slice(7)];
    const becomes = part[0] === "#" && colours[colour.toUpperCase()];
    return becomes ? becomes + opacity : part;
  }
  if (Array.isArray(part)) {
    return part.map((one) => onWhite(one, colours));
  }
  if (!part || Object.getPrototypeOf(part) !== Object.prototype) {
    return part;
  }
  return Object.fromEntries(Object.entries(part).map(([name, one]) => [name, onWhite(one, colours)]));
}

/* Broken at spaces where there are any: letters of some scripts are twice as wide, and stand without. */
function linesOf(text, size) {
  const pen = document.createElement("canvas").getContext("2d");
  pen.font = size + "px " + FONT;
  const lines = [];
  let line = "";
  for (const letter of text) {
    if (line && pen.measureText(line + letter).width > WIDTH - 2 * EDGE) {
      const space = letter === " " ? line.length : line.lastIndexOf(" ");
      const end = space > 0 ? space : line.length;
      lines.push(line.slice(0, end));
      line = line.slice(end).trimStart();
    }
    line += letter;
  }
  return lines.concat(line.trimStart());
}

/* The library would read tags and formulas in it. */
function asText(text) {
  return text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/\$/g, "&#36;");
}
