/* Puts a replay into a Streamlit page, as streamlit_mount.js does a live view: each rerun calls this again, and what
 * plays goes on. Another day is another recording, and begins anew. */

const replays = new WeakMap();

export default function ({ data, parentElement }) {
  const kept = replays.get(parentElement);
  const recorded = JSON.stringify(data.replay.recording);
  if (kept && kept.recorded === recorded) {
    kept.view.update(data);
  } else {
    if (kept) {
      kept.view.close();
      kept.root.remove();
    }
    const root = document.createElement("div");
    parentElement.appendChild(root);
    const view = createLiveView(root, data, arrangePage, openReplayLink);
    replays.set(parentElement, { root, view, recorded });
  }
  return () => {
    const last = replays.get(parentElement);
    if (last) {
      last.view.close();
      last.root.remove();
      replays.delete(parentElement);
    }
  };
}
