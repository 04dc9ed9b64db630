/* Puts a replay into a Streamlit page, as streamlit_mount.js does a live view: each rerun calls this again, and what
 * plays goes on, also where more of today is recorded by then. Another day begins anew. */

const replays = new WeakMap();

function mounted(parentElement, data, before) {
  const root = document.createElement("div");
  parentElement.appendChild(root);
  const kept = { root, recorded: JSON.stringify(data.replay.recording), start: data.replay.recording.start };
  const goingOn = before ? { at: before.position, isPaused: !before.isPlaying, speed: before.speed } : {};
  const open = (options, listener) => {
    const replay = Object.assign({}, options.replay, goingOn);
    const link = openReplayLink(Object.assign({}, options, { replay }), listener);
    kept.player = link.player;
    return link;
  };
  kept.view = createLiveView(root, data, arrangePage, open);
  return kept;
}

export default function ({ data: drawn, parentElement, setTriggerValue }) {
  const data = Object.assign({ tell: setTriggerValue }, drawn);
  const kept = replays.get(parentElement);
  if (kept && kept.recorded === JSON.stringify(data.replay.recording)) {
    kept.view.update(data);
  } else {
    const before = kept && kept.start === data.replay.recording.start ? Object.assign({}, kept.player) : null;
    const again = kept ? focused(kept.root, "data-again") : null;
    if (kept) {
      kept.view.close();
      kept.root.remove();
    }
    replays.set(parentElement, mounted(parentElement, data, before));
    focusAgain(replays.get(parentElement).root, again);
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
