/* Numbers as people write them. A browser drops from a field what it does not take for a number, and keeps the rest:
 * 1,5 becomes 15 and Arabic digits nothing; Streamlit keeps 1 of 1.000 where numbers are whole. Here digits of any
 * script are read, what groups them is left out, a comma stands for a point, and what may mean two numbers is refused. */

const WITH_DECIMALS = /\bst-key-site-[0-9a-f]+-\d+-area(-|\s|$)/; // of the other fields numbers are whole
const DIGITS = ["\u0660", "\u06f0", "\u0966", "\uff10"]; // the zeros of Arabic, Persian, Devanagari and wide digits
const GROUPS = /['\u2019\u066c_\s]/g; // \s is of every space
const POINTS = /[,\u066b]/g;
const THOUSANDS = /^-?\d{1,3}\.(\d{3})+$/; // a browser drops the second point itself
const DIGITS_ALONE = "Write digits alone, such as 1000.";
const A_PRESS = 700; // milliseconds from leaving a field until what was pressed for it is heard

function numbersAsWritten() {
  const strange = new WeakSet(); // fields in which something else than a number was written
  let refused = 0;

  function typed(event) {
    const field = event.target;
    if (!isNumber(field)) {
      return;
    }
    field.setCustomValidity("");
    if (!event.data) {
      strange.delete(field); // somebody takes out what was wrong
      return;
    }
    const plain = plainNumber(event.data);
    if (/[^\d.-]/.test(plain)) {
      event.preventDefault();
      strange.add(field);
      tell(field, DIGITS_ALONE);
    } else if (plain !== event.data) {
      event.preventDefault();
      document.execCommand("insertText", false, plain);
    }
  }

  /* What stands in the field is taken when it is left, or by Enter. */
  function left(event) {
    const field = event.target;
    if (!isNumber(field) || (event.type === "keydown" && event.key !== "Enter")) {
      return;
    }
    const refusal = strange.has(field) ? DIGITS_ALONE : refusalOf(field);
    if (refusal) {
      Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set.call(field, "");
      field.dispatchEvent(new Event("input", { bubbles: true }));
      strange.delete(field);
      refused = event.timeStamp;
      setTimeout(tell, 0, field, refusal);
    }
  }

  /* The press by which a field was left that is empty now. */
  function clicked(event) {
    if (refused && event.timeStamp - refused < A_PRESS && event.target instanceof Element) {
      if (event.target.closest("[data-testid=stButton]")) {
        event.stopImmediatePropagation();
        event.preventDefault();
      }
    }
    refused = 0;
  }

  /* What Streamlit builds on keeps the browser from saying why. */
  function shown(event) {
    if (isNumber(event.target) && event.target.validity.customError) {
      event.stopImmediatePropagation();
    }
  }

  const heard = [
    ["beforeinput", typed],
    ["focusout", left],
    ["keydown", left],
    ["click", clicked],
    ["invalid", shown],
  ];
  heard.forEach(([name, hear]) => window.addEventListener(name, hear, true));
  return () => heard.forEach(([name, hear]) => window.removeEventListener(name, hear, true));
}

function isNumber(field) {
  return field instanceof HTMLInputElement && field.type === "number";
}

function plainNumber(text) {
  return Array.from(text.replace(GROUPS, "").replace(POINTS, "."), asciiDigit).join("");
}

function asciiDigit(letter) {
  const script = DIGITS.find((zero) => letter >= zero && letter.charCodeAt(0) < zero.charCodeAt(0) + 10);
  return script ? String(letter.charCodeAt(0) - script.charCodeAt(0)) : letter;
}

/* Empty: it is one number. A browser tells no text of what is none, such as 1.000.000. */
function refusalOf(field) {
  if (field.validity.badInput || THOUSANDS.test(field.value)) {
    return "This may mean two numbers. Write a thousand as 1000.";
  }
  const own = field.closest("[data-testid=stElementContainer]");
  const isWhole = !(own && WITH_DECIMALS.test(own.className));
  return isWhole && field.value.includes(".") ? "Write a whole number, such as 15." : "";
}

function tell(field, sentence) {
  if (field.isConnected) {
    field.setCustomValidity(sentence);
    field.reportValidity();
  }
}
