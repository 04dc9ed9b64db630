/* Two buttons that save the chart above them. Streamlit calls this again with each rerun, without cleaning up before.
 * `data` is {chart: key, title, words: [sentence], file, colours: {from: to}}. */

const FORMATS = ["png", "svg"];
const NOT_YET = "The chart is not drawn yet. Try again in a moment.";
const bars = new WeakMap();

export default function ({ data, parentElement }) {
  const kept = bars.get(parentElement);
  if (kept) {
    kept.update(data);
    return kept.close;
  }
  const bar = createBar(parentElement);
  bar.update(data);
  bars.set(parentElement, bar);
  return bar.close;
}

function createBar(parent) {
  const root = document.createElement("div");
  root.className = "picture";
  const state = document.createElement("span");
  state.setAttribute("role", "status");
  const buttons = FORMATS.map((format) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = format.toUpperCase();
    button.addEventListener("click", () => save(format));
    return button;
  });
  root.append("Save chart as ", ...buttons, state);
  parent.appendChild(root);
  let told = null;
  let isDrawing = false;

  function update(data) {
    told = data;
    buttons.forEach((button) => {
      button.setAttribute("aria-label", "Save chart as " + button.textContent + ": " + data.title);
    });
  }

  function save(format) {
    const chart = document.querySelector(".st-key-" + CSS.escape(told.chart) + " .js-plotly-plot");
    if (isDrawing) {
      return;
    }
    if (!chart || !chart._fullLayout) {
      state.textContent = NOT_YET;
      return;
    }
    isDrawing = true;
    state.textContent = "Drawing …";
    savePicture(chart, format, told)
      .then((file) => "Saved as " + file, String)
      .then((text) => {
        isDrawing = false;
        state.textContent = text;
      });
  }

  function close() {
    root.remove();
    bars.delete(parent);
  }
  return { update, close };
}
