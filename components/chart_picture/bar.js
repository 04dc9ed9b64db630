/* Two buttons that save what stands above them. save(format) promises the name of the file, once it is handed to the
 * browser, or refuses with a sentence. Returns {node, name(title)}: of what the picture is, for who only listens. */

function pictureBar(parent, save) {
  const node = document.createElement("div");
  node.className = "picture";
  const state = document.createElement("span");
  state.setAttribute("role", "status");
  let isDrawing = false;
  const buttons = ["png", "svg"].map((format) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = format.toUpperCase();
    button.addEventListener("click", () => press(format));
    return button;
  });
  node.append("Save chart as ", ...buttons, state);
  parent.appendChild(node);

  function press(format) {
    if (isDrawing) {
      return;
    }
    isDrawing = true;
    state.textContent = "Drawing …";
    save(format)
      .then((file) => "Saved as " + file, String)
      .then((text) => {
        isDrawing = false;
        state.textContent = text;
      });
  }

  return {
    node,
    name: (title) => {
      buttons.forEach((button) => {
        button.setAttribute("aria-label", "Save chart as " + button.textContent + ": " + title);
      });
    },
  };
}
