/* A wall page, scaled as a whole: what is seen is what the screen shows, only smaller. Streamlit calls this again
 * with each rerun, so a frame is kept with the element that it lives in.
 *
 * Another address is loaded in a frame of its own, behind the one that is seen: nothing flickers, and the browser's
 * way back stays what it was. */

const STILL_EVERY = 60000; // milliseconds between two pictures of a still
const STILL_PATIENCE = 8000; // milliseconds in which a still is drawn; then the next one has its turn
const PLAN_EVERY = 1000; // milliseconds between two looks at whether a floor plan is shown
const INSTEAD = { graph: "the graph is shown instead.", cards: "its zones are shown as cards instead." };
const walls = new WeakMap();
let turn = Promise.resolve(); // of the stills: one loads at a time

export default function ({ data, parentElement }) {
  if (!walls.has(parentElement)) {
    walls.set(parentElement, createWall(parentElement));
  }
  walls.get(parentElement).update(data);
  return () => {
    const wall = walls.get(parentElement);
    if (wall) {
      wall.close();
      walls.delete(parentElement);
    }
  };
}

function createWall(parent) {
  const place = document.createElement("div"); // as wide as the page leaves
  const box = document.createElement("div");
  const note = document.createElement("p"); // what of the screen cannot be shown in this shape
  note.className = "note";
  note.setAttribute("role", "status");
  place.appendChild(box);
  place.appendChild(note);
  parent.appendChild(place);
  let data = null;
  let isInSight = false;
  let isClosed = false;
  let wanted = null; // the address that was asked for last
  const sight = new IntersectionObserver((entries) => {
    isInSight = entries[entries.length - 1].isIntersecting;
    look();
  });
  const room = new ResizeObserver(fit);
  const timer = setInterval(renew, STILL_EVERY);
  const looks = setInterval(tell, PLAN_EVERY);
  let toldOf = ""; // it stays while the screen goes on to its other views
  sight.observe(box);
  room.observe(place);

  function update(fresh) {
    data = fresh;
    box.className = data.still ? "wall still" : "wall";
    fit();
    look();
  }

  function fit() {
    if (!data) {
      return;
    }
    const width = place.clientWidth - 2; // within its border
    const scale = Math.min(width / data.width, data.most_height / data.height);
    if (!(scale > 0)) {
      return;
    }
    box.style.width = data.width * scale + "px";
    box.style.height = data.height * scale + "px";
    box.querySelectorAll("iframe").forEach((frame) => {
      frame.style.width = data.width + "px";
      frame.style.height = data.height + "px";
      frame.style.transform = "scale(" + scale + ")";
      frame.title = data.title;
    });
  }

  function look() {
    if (data && isInSight && data.address !== wanted) {
      load();
    }
  }

  function tell() {
    const key = data ? [data.address, data.width, data.height].join(" ") : "";
    const frame = box.querySelector("iframe:not(.coming)");
    const page = data && !data.still && frame && frame.contentDocument;
    const views = page ? [...page.querySelectorAll("[data-plan]")] : [];
    const view = views.find((one) => one.getClientRects().length);
    if (view || key !== toldOf) {
      const shown = view ? view.getAttribute("data-plan") : "shown";
      const words = shown === "shown" ? "" : planWords(data, shown);
      toldOf = view ? key : "";
      note.textContent = note.textContent === words ? note.textContent : words;
    }
  }

  function renew() {
    if (data && data.still && isInSight && !document.hidden) {
      load();
    }
  }

  function load() {
    const address = (wanted = data.address);
    if (!data.still) {
      show(address);
      return;
    }
    turn = turn.then(() => {
      const isWanted = !isClosed && address === wanted && isInSight;
      wanted = isWanted || address !== wanted ? wanted : null; // when it comes into sight again
      return isWanted ? show(address).then(drawn) : null;
    });
  }

  /* Resolves with the frame, once it stands in the place of the last one. */
  function show(address) {
    const frame = document.createElement("iframe");
    frame.className = "coming";
    frame.tabIndex = -1; // nothing on a wall takes the focus
    const loaded = new Promise((resolve) => {
      frame.addEventListener("load", () => {
        if (!isClosed && address === wanted && !data.still) {
          replace(frame);
        }
        resolve(frame);
      });
      setTimeout(() => resolve(frame), STILL_PATIENCE);
    });
    box.querySelectorAll("iframe.coming").forEach((older) => older.remove());
    box.appendChild(frame);
    fit();
    frame.src = address;
    return loaded;
  }

  function replace(frame) {
    box.querySelectorAll("iframe").forEach((other) => other !== frame && other.remove());
    frame.className = "";
  }

  /* Resolves as soon as the still stands still. */
  function drawn(frame) {
    const until = Date.now() + STILL_PATIENCE;
    return new Promise((resolve) => {
      (function ask() {
        const page = frame.isConnected && frame.contentDocument;
        const root = page && page.documentElement; // none yet between two documents
        if (!page || isClosed || (root && root.dataset.still) || Date.now() > until) {
          if (page && !isClosed) {
            replace(frame);
          }
          resolve();
        } else {
          setTimeout(ask, 100);
        }
      })();
    });
  }

  function close() {
    isClosed = true;
    sight.disconnect();
    room.disconnect();
    clearInterval(timer);
    clearInterval(looks);
    place.remove();
  }

  return { update, close };
}

function planWords(size, shown) {
  const shape = size.height > size.width ? "tall" : size.width > 2 * size.height ? "wide" : "size";
  return "On a screen this " + shape + " the floor plan would be too small to be read: " + INSTEAD[shown];
}
