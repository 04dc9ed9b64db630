/* A day that is typed is taken when its calendar closes, which Enter leaves open: the box would say another day than the
 * page below it. Escape closes it. */

const PART_OF_A_DAY = ":is(.stDateInput, .stDateTimeInput) [role=spinbutton]";

function daysByEnter() {
  function pressed(event) {
    if (event.key === "Enter" && event.target.matches(PART_OF_A_DAY)) {
      event.target.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", bubbles: true, cancelable: true }));
    }
  }

  document.addEventListener("keydown", pressed, true);
  return () => document.removeEventListener("keydown", pressed, true);
}
