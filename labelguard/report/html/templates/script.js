"use strict";
// The page is whole without this: it adds what filters findings and copies commands.

const cards = [...document.querySelectorAll(".card")].map(element => ({
  element, severity: element.dataset.severity, code: element.dataset.code,
  files: [...element.querySelectorAll("[data-file]")].map(file => ({element: file, name: file.dataset.file || file.cells[0].textContent})),
}));
const filters = document.getElementById("filters");
const [code, folder, part, status] = ["filter-code", "filter-folder", "filter-name", "filter-status"].map(id => document.getElementById(id));

function offer(select, values) {
  for (const value of [...new Set(values)].sort().slice(0, 500)) select.add(new Option(value, value));
  select.parentElement.hidden = select.options.length < 3;
}

function apply() {
  const severities = new Set([...filters.querySelectorAll("[name=severity]:checked")].map(box => box.value));
  const needle = part.value.toLowerCase();
  const byName = folder.value || needle;
  let numCards = 0;
  for (const card of cards) {
    let files = 0;
    for (const file of card.files) {
      const meant = file.name.startsWith(folder.value) && file.name.toLowerCase().includes(needle);
      file.element.hidden = !meant;
      files += meant;
    }
    const meant = severities.has(card.severity) && (!code.value || card.code === code.value) && (!byName || files > 0);
    card.element.hidden = !meant;
    numCards += meant;
  }
  status.textContent = numCards === cards.length && !byName ? "" : `${numCards} of ${cards.length} checks`;
}

if (cards.length > 1 || (cards.length && cards[0].files.length > 8)) {
  const folders = cards.flatMap(card => card.files.map(file => file.name.slice(0, file.name.lastIndexOf("/") + 1)));
  offer(code, cards.map(card => card.code));
  offer(folder, folders.filter(Boolean));
  filters.addEventListener("input", apply);
  filters.hidden = false;
}

async function copy(button) {
  const text = button.parentElement.querySelector("code");
  let done = true;
  try {
    await navigator.clipboard.writeText(text.textContent);
  } catch {  // an old browser, or a page that was opened in a way that has no clipboard
    getSelection().selectAllChildren(text);
    done = document.execCommand("copy");
  }
  button.textContent = done ? "Copied" : "Press Ctrl-C";
  setTimeout(() => { button.textContent = "Copy"; }, 2000);
}

for (const button of document.querySelectorAll(".copy")) {
  button.hidden = false;
  button.addEventListener("click", () => copy(button));
}

let opened = [];
addEventListener("beforeprint", () => {
  opened = [...document.querySelectorAll("details:not([open])")];
  for (const details of opened) details.open = true;
});
addEventListener("afterprint", () => { for (const details of opened) details.open = false; });
