/* Puts the counting at a door into a Streamlit page. Each rerun calls this again; what is counted goes on. */

const tappings = new WeakMap();

export default function ({ data, parentElement, setTriggerValue }) {
  const receivedAt = phoneTime();
  if (!tappings.has(parentElement)) {
    const root = document.createElement("div");
    root.className = "door-taps";
    parentElement.appendChild(root);
    tappings.set(
      parentElement,
      tapping(root, (count) => setTriggerValue("handed", count)),
    );
  }
  tappings.get(parentElement).update(data, receivedAt);
  return () => {
    const kept = tappings.get(parentElement);
    if (kept) {
      kept.close();
      tappings.delete(parentElement);
    }
  };
}
