/* The bar below a chart. Streamlit calls this again with each rerun, without cleaning up before.
 * `data` is {chart: key, title, words: [sentence], file, colours: {from: to}}. */

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
  let told = null;
  const bar = pictureBar(parent, (format) => {
    const chart = document.querySelector(".st-key-" + CSS.escape(told.chart) + " .js-plotly-plot");
    return chart && chart._fullLayout ? savePicture(chart, format, told) : Promise.reject(NOT_YET);
  });

  function update(data) {
    told = data;
    bar.name(data.title);
  }

  function close() {
    bar.node.remove();
    bars.delete(parent);
  }
  return { update, close };
}
