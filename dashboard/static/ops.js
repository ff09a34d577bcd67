// Small helpers; every page can be read without them.
"use strict";

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-copy]");
  if (!button) return;
  navigator.clipboard.writeText(button.dataset.copy).then(() => button.classList.add("copied"));
});

// A block and its box stand out together.
function both(number, on) {
  document.querySelectorAll(`[data-block="${CSS.escape(number)}"]`).forEach((one) => one.classList.toggle("linked", on));
}
for (const [kind, on] of [["mouseover", true], ["mouseout", false], ["focusin", true], ["focusout", false]]) {
  document.addEventListener(kind, (event) => {
    const one = event.target.closest && event.target.closest("[data-block]");
    if (one) both(one.dataset.block, on);
  });
}

// Keys 1 to 3 choose a verdict, unless something is being written.
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.matches("input:not([type=radio]):not([type=checkbox]), select, textarea")) return;
  const choice = document.querySelector(`[data-key="${CSS.escape(event.key)}"]`);
  if (choice) { choice.checked = true; choice.focus(); }
});
