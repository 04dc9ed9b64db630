/* A drawing of ours, an SVG in the page, as a picture of its own: in the colours of the theme that is shown, with its
 * title and what is to be known of it above, and what its numbers stand for below.
 *
 * It is drawn anew on a stage that nobody sees, as wide as the picture, so that a phone's is as good as a desk's. */

const MOST_SCALE = 1.5; // a drawing of few zones would have letters larger than its title
const INHERITED = [
  ...["fill", "fill-opacity", "stroke", "stroke-width", "stroke-opacity", "stroke-dasharray", "stroke-linecap"],
  ...["stroke-linejoin", "paint-order", "font-family", "font-size", "font-weight", "text-anchor", "visibility"],
];
const OWN = { opacity: "1", display: "inline", transform: "none" }; // what each is where nothing is said
const NOT_IN_XML = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g; // with one of them no reader opens a file
const KEPT_ALIVE = 60000; // milliseconds until a file that was handed to the browser is let go

/* A bar below `parent`, whose `take()` tells what the picture is of, as it is at that moment: {title, words: [text],
 * file, width, draw(stage), below(stage)}. draw() puts the drawing onto a stage of that width and returns its SVG;
 * below() is what stands below it, [text]. Null: nothing is drawn yet. */
function svgPictureBar(parent, take) {
  return pictureBar(parent, (format) => {
    const told = take();
    if (!told) {
      return Promise.reject("Nothing is drawn yet. Try again in a moment.");
    }
    const framed = onStage(parent.closest(".headroom"), told);
    const file = told.file + "." + format;
    return withImages(framed)
      .then(() => {
        const text = new XMLSerializer().serializeToString(framed).replace(NOT_IN_XML, "");
        const drawn = new Blob([text], { type: "image/svg+xml" });
        return format === "png" ? asPng(drawn, framed) : drawn;
      })
      .then((content) => handOver(content, file), refuseWith)
      .then(() => file);
  });
}

function refuseWith(why) {
  throw typeof why === "string" ? why : PICTURE.failed;
}

/* `root` has the styles of the drawing. */
function onStage(root, told) {
  const stage = document.createElement("div");
  stage.className = "headroom picture-stage"; // it works out its colours anew
  stage.setAttribute("aria-hidden", "true");
  stage.style.width = told.width + "px";
  stage.style.fontFamily = PICTURE.font;
  root.appendChild(stage);
  try {
    const style = getComputedStyle(stage);
    const colours = { ground: style.backgroundColor, ink: style.color, quiet: style.outlineColor };
    const drawing = standalone(told.draw(stage));
    return framedPicture(drawing, told, told.below(stage), colours);
  } finally {
    stage.remove();
  }
}

/* A copy that needs no style sheet, opens nothing, and has nothing that is not seen. */
function standalone(svg) {
  const copy = svg.cloneNode(true);
  const copies = [copy, ...copy.querySelectorAll("*")];
  [svg, ...svg.querySelectorAll("*")].forEach((node, position) => withStyle(copies[position], node, svg));
  copy.querySelectorAll('[display="none"], [visibility="hidden"], .people').forEach((node) => node.remove());
  copies.forEach((node) => {
    for (const { name } of [...node.attributes]) {
      if (/^(class|style|tabindex|data-.*|aria-.*)$/.test(name) || (name === "href" && node.localName === "a")) {
        node.removeAttribute(name);
      }
    }
  });
  copy.querySelectorAll("a").forEach((link) => {
    const group = svgElement("g", {});
    group.append(...link.childNodes);
    link.replaceWith(group);
  });
  return copy;
}

function withStyle(copy, node, root) {
  if (node.localName === "title" || node.localName === "desc") {
    return;
  }
  const style = getComputedStyle(node);
  const above = node === root ? null : getComputedStyle(node.parentNode);
  INHERITED.forEach((name) => {
    const value = style.getPropertyValue(name);
    if (!above || copy.hasAttribute(name) || above.getPropertyValue(name) !== value) {
      copy.setAttribute(name, value);
    }
  });
  Object.keys(OWN).forEach((name) => {
    const value = style.getPropertyValue(name);
    // The root stands in a page as a block.
    if (node !== root && value !== OWN[name]) {
      copy.setAttribute(name, value === "block" ? "inline" : value);
    }
  });
  ["fill", "stroke"].forEach((name) => withoutAlpha(copy, name, style));
}

/* Not every reader of SVG knows colours with an opacity of their own. */
function withoutAlpha(copy, name, style) {
  const parts = /^rgba\((\d+), (\d+), (\d+), ([\d.]+)\)$/.exec(copy.getAttribute(name) || "");
  if (parts) {
    const opacity = Number(parts[4]) * Number(style.getPropertyValue(name + "-opacity"));
    copy.setAttribute(name, opacity ? "rgb(" + parts.slice(1, 4).join(", ") + ")" : "none");
    copy.setAttribute(name + "-opacity", String(opacity));
  }
}

function framedPicture(drawing, told, below, colours) {
  const { width, edge, title, words } = PICTURE;
  const framed = svgElement("svg", { xmlns: SVG_NAMESPACE, width, "font-family": PICTURE.font });
  const ground = framed.appendChild(svgElement("rect", { width: "100%", height: "100%", fill: colours.ground }));
  let y = edge;

  function write(text, size, fill) {
    linesOf(text, size).forEach((line) => {
      y += PICTURE.line * size;
      const node = svgElement("text", { x: edge, y: (y - 0.3 * size).toFixed(1), "font-size": size, fill });
      node.textContent = line;
      framed.appendChild(node);
    });
  }

  write(told.title, title, colours.ink);
  told.words.forEach((text) => write(text, words, colours.quiet));
  y += words;
  const [, , wide, high] = drawing.getAttribute("viewBox").split(" ").map(Number);
  const scale = Math.min((width - 2 * edge) / wide, MOST_SCALE);
  const box = { x: (width - scale * wide) / 2, y, width: scale * wide, height: scale * high, overflow: "visible" };
  Object.keys(box).forEach((name) => drawing.setAttribute(name, box[name]));
  framed.appendChild(drawing);
  y += scale * high + words / 2;
  below.forEach((text) => write(text, words, colours.ink));
  const height = Math.ceil(y + edge);
  framed.setAttribute("height", height);
  framed.setAttribute("viewBox", [0, 0, width, height].join(" "));
  ground.setAttribute("height", height);
  ground.setAttribute("width", width);
  return framed;
}

/* A file has nobody to ask: what a drawing stands on is put into it. */
function withImages(svg) {
  return Promise.all(
    [...svg.querySelectorAll("image")].map((image) =>
      fetch(image.getAttribute("href"))
        .then((answer) => (answer.ok ? answer.blob() : Promise.reject()))
        .then(asAddress)
        .then((address) => image.setAttribute("href", address))
        .catch(() => refuseWith("The picture of the floor could not be read. Try again in a moment."))
    )
  );
}

function asAddress(content) {
  return new Promise((resolve, refuse) => {
    const reader = new FileReader();
    reader.onload = () => resolve(reader.result);
    reader.onerror = refuse;
    reader.readAsDataURL(content);
  });
}

function asPng(drawn, framed) {
  const [width, height] = ["width", "height"].map((name) => PICTURE.times * Number(framed.getAttribute(name)));
  const address = URL.createObjectURL(drawn);
  const image = new Image();
  const waiting = new Promise((resolve, refuse) => {
    image.onload = resolve;
    image.onerror = refuse;
    setTimeout(refuse, PICTURE.patience);
  });
  image.src = address;
  return waiting
    .then(() => {
      const canvas = Object.assign(document.createElement("canvas"), { width, height });
      canvas.getContext("2d").drawImage(image, 0, 0, width, height);
      return new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
    })
    .then((content) => content || refuseWith()) // a browser draws nothing larger than it has room for
    .finally(() => URL.revokeObjectURL(address));
}

/* A download is a link that is pressed. */
function handOver(content, file) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = file;
  link.click();
  setTimeout(URL.revokeObjectURL, KEPT_ALIVE, link.href);
}

/* As Python names files (components/tables/downloads.py): ASCII, a part for each text that has letters. */
function fileOf(texts) {
  return texts
    .map((text) =>
      text
        .replace(/ß/g, "ss")
        .normalize("NFKD")
        .replace(/[^\x00-\x7f]/g, "")
        .toLowerCase()
        .replace(/[^a-z0-9]+/g, "-")
        .slice(0, 48)
        .replace(/^-+|-+$/g, "")
    )
    .filter(Boolean)
    .join("_");
}
