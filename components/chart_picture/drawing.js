/* A chart as a picture of its own, on white and of one size, with its title and what is to be known of it above.
 *
 * It is drawn by the library that drew the chart, of what the chart has in the page: nothing is sent twice, nothing
 * loaded. Streamlit (1.67) hands that library (plotly.js 4.2) to nobody, so the camera among the chart's tools is
 * pressed, upon a stand-in for the chart. */

const LEAST_HEIGHT = 675; // pixels
const ROOM = 16; // pixels on both sides
const INK = "#16191d";
const QUIET = "#59616b";

/* `told` is what the component is given. Promises that the file is handed to the browser; refuses with a sentence. */
function savePicture(chart, format, told) {
  return new Promise((resolve, refuse) => {
    const file = told.file + "." + format;
    const waiting = setTimeout(end, PICTURE.patience, () => refuse(PICTURE.failed));
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
      press(chart, pictureOf(chart, told), { format, filename: told.file, scale: format === "png" ? PICTURE.times : 1 });
    } catch {
      end(() => refuse(PICTURE.failed));
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
  const { width, edge, line, title, words } = PICTURE;
  const layout = onWhite(chart.layout, told.colours);
  const margin = Object.assign({}, layout.template.layout.margin, layout.margin);
  const head = [linesOf(told.title, title), told.words.flatMap((text) => linesOf(text, words))];
  const room = edge + line * (title * head[0].length + words * head[1].length) + words;
  const height = Math.round(Math.max(LEAST_HEIGHT, (layout.height || 0) + room));
  layout.title = {
    ...{ text: head[0].map(asText).join("<br>"), font: { size: title, color: INK }, automargin: false },
    ...{ subtitle: { text: head[1].map(asText).join("<br>"), font: { size: words, color: QUIET } } },
    ...{ xref: "container", x: edge / width, xanchor: "left" },
    ...{ yref: "container", y: 1 - (edge + title / 2) / height, yanchor: "bottom" },
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
  layout.font = Object.assign({}, layout.template.layout.font, layout.font, { family: PICTURE.font });
  Object.assign(layout, { width, height, paper_bgcolor: "#ffffff" });
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

/* The library would read tags and formulas in it. */
function asText(text) {
  return text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/\$/g, "&#36;");
}
