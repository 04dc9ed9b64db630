/* Puts a live view, as `arrangePage` arranges it, into a Streamlit page. Streamlit calls this again whenever the
 * data change (each rerun signs a new token) without cleaning up before, so a view is kept with the element it
 * lives in. */

const views = new WeakMap();

export default function ({ data, parentElement, setTriggerValue }) {
  const kept = views.get(parentElement);
  const options = Object.assign({ tell: setTriggerValue }, data);
  if (kept) {
    kept.update(options);
  } else {
    const root = document.createElement("div");
    parentElement.appendChild(root);
    views.set(parentElement, createLiveView(root, options, arrangePage));
  }
  return () => {
    const view = views.get(parentElement);
    if (view) {
      view.close();
      views.delete(parentElement);
    }
  };
}
