/* What paper needs and no style can do: when it was printed and what was chosen, as text, and charts drawn to
 * scale. Done when printing begins, undone after it. `data` is {locale}. */

const INPUTS =
  ".stSelectbox, .stMultiSelect, .stTextInput, .stNumberInput, .stDateInput, .stDateTimeInput, .stButtonGroup";
const CHOSEN = ":is([aria-checked=true], [aria-pressed=true]) p, [data-tag]"; // without icons, which are words in it
const NOT_OF_PAGE = "details:not([open]), [class*=st-key-gallery], [class*=st-key-note-], [class*=st-key-report-]";
const PAPER_WIDTH = 718; // pixels of A4 upright between its margins
const MOST_LARGER = 1.4; // times that the words of a wide chart grow, so that they stay readable, or a narrow one

const frames = new WeakMap();
let undo = [];

/* "Site: Corner shop". What is folded and not the usual is said by its page; of a note that is being written, or a
 * report that may be made, nothing was chosen. */
function choices() {
  return Array.from(document.querySelectorAll(INPUTS))
    .filter((widget) => !widget.closest(NOT_OF_PAGE))
    .map((widget) => {
      const label = widget.querySelector("[data-testid=stWidgetLabel]");
      const typed = Array.from(widget.querySelectorAll("input"), (input) => input.value);
      const pressed = Array.from(widget.querySelectorAll(CHOSEN), (words) => words.textContent.trim());
      const values = typed.concat(pressed).filter(Boolean);
      return { label: label ? label.textContent.trim() : "", value: values.join(" – ") };
    })
    .filter((choice) => choice.label && choice.value)
    .map((choice) => choice.label + ": " + choice.value);
}

/* In English as the page is, by the reader's own 12 or 24 hours. */
function printedAt(locale) {
  const own = new Intl.DateTimeFormat(locale || undefined, { hour: "numeric" }).resolvedOptions();
  const hour = own.hour12 ? "numeric" : "2-digit"; // as the page writes its times
  const parts = { day: "numeric", month: "short", year: "numeric", hour, minute: "2-digit", hour12: own.hour12 };
  const format = new Intl.DateTimeFormat(own.locale.startsWith("en") ? own.locale : "en-GB", parts);
  const zone = format.resolvedOptions().timeZone || "";
  return format.format(new Date()) + " (" + zone.split("/").pop().replace(/_/g, " ") + " time)";
}

/* A drawing of fixed pixels can be drawn to scale once it says what its pixels are. Words beside its plot grow, and so
 * do their margins. */
function toScale(svg) {
  const [width, height] = ["width", "height"].map((name) => Number(svg.getAttribute(name)));
  const larger = Math.min(MOST_LARGER, Math.max(1, width / PAPER_WIDTH));
  const { l, r } = svg.closest(".js-plotly-plot")._fullLayout._size;
  const left = (larger - 1) * l;
  const whole = left + width + (larger - 1) * r;
  svg.setAttribute("viewBox", [-left, 0, whole, height].join(" "));
  svg.style.setProperty("--larger", larger);
  svg.style.maxWidth = MOST_LARGER * whole + "px";
  undo.push(() => {
    svg.removeAttribute("viewBox");
    svg.style.maxWidth = "";
  });
}

function toPaper(line, locale) {
  toScreen();
  line.textContent = ["Headroom, printed " + printedAt(locale)].concat(choices()).join(" · ");
  document.querySelectorAll(".js-plotly-plot .main-svg").forEach(toScale);
}

function toScreen() {
  undo.forEach((one) => one());
  undo = [];
}

export default function ({ data, parentElement }) {
  if (data.toured) {
    document.cookie = data.toured + "=1; path=/; SameSite=Lax";
  }
  const kept = frames.get(parentElement);
  if (kept) {
    kept.locale = data.locale;
    return kept.close;
  }
  const line = document.createElement("p");
  parentElement.appendChild(line);
  const frame = { locale: data.locale };
  const printing = onPaper(() => toPaper(line, frame.locale), toScreen);
  const keyboard = [keyboardIntoPopovers(), oneStopOfTables(), navigationOffNarrowPages(), focusOfWhatGoes()];
  const stops = [printing, ...keyboard, pressedOnce(), lettersOfBoxes(), numbersAsWritten(), daysByEnter()];
  frame.close = () => {
    stops.forEach((stop) => stop());
    line.remove();
    frames.delete(parentElement);
  };
  frames.set(parentElement, frame);
  return frame.close;
}
