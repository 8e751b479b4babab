"""make browser-check: reports in a headless Chromium, narrow and wide, light and dark, printed, and without a script.

Exit code 0 where all is well, and where no Chromium is installed, which is said; 1 where something is not. With ``--keep DIR`` pictures
of all pages stay there.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.browser.devtools import NAMES, Browser, installed
from tests.browser.reports import drawn

WIDTHS = (360, 1600)
_TALLEST = 6_000  # pixels of a picture

# Each gives a list of what is wrong.
LAYOUT = """(() => {
  const wrong = [], width = document.documentElement.clientWidth;
  const name = each => each.tagName + "." + each.className + " " + each.textContent.trim().slice(0, 40);
  const shown = each => each.getClientRects().length > 0 && getComputedStyle(each).position === "static";
  if (document.documentElement.scrollWidth > width) wrong.push("the page is wider than the window");
  for (const each of document.querySelectorAll("body *")) {
    const box = each.getBoundingClientRect();
    if (shown(each) && box.right > width + 1 && !each.closest(".rows")) wrong.push("reaches out of the window: " + name(each));
  }
  const parents = "body, .columns, main, section, .card, .entry, .exhibit, .plates, figure, .facts, .legend";
  for (const parent of document.querySelectorAll(parents)) {
    const boxes = [...parent.children].filter(shown).map(each => [each, each.getBoundingClientRect()]);
    for (const [i, [each, one]] of boxes.entries()) for (const [other, two] of boxes.slice(i + 1)) {
      const across = Math.min(one.right, two.right) - Math.max(one.left, two.left);
      const down = Math.min(one.bottom, two.bottom) - Math.max(one.top, two.top);
      if (across > 1 && down > 1) wrong.push("overlap: " + name(each) + " | " + name(other));
    }
  }
  for (const image of document.images) if (!image.complete || !image.naturalWidth) wrong.push("no picture: " + image.alt);
  return wrong;
})()"""
FILTERS = """(() => {
  const wrong = [], filters = document.getElementById("filters");
  const cards = [...document.querySelectorAll(".card")], visible = () => cards.filter(card => card.getClientRects().length).length;
  const change = (field, values) => { Object.assign(field, values); field.dispatchEvent(new Event("input", {bubbles: true})); };
  if (filters.hidden) return cards.length > 1 ? ["there are no filters"] : [];
  for (const box of filters.querySelectorAll("[type=checkbox]")) {
    change(box, {checked: false});
    if (visible() !== cards.filter(card => card.dataset.severity !== box.value).length) wrong.push("the severity does not filter");
    change(box, {checked: true});
  }
  const part = document.getElementById("filter-name");
  change(part, {value: "no file is called so"});
  if (visible()) wrong.push("the name does not filter");
  change(part, {value: ""});
  for (const id of ["filter-code", "filter-folder"]) {
    const select = document.getElementById(id);
    if (select.options.length < 3) continue;
    change(select, {selectedIndex: 1});
    const rows = [...document.querySelectorAll("tr[data-file]")].filter(row => row.getClientRects().length);
    if (id === "filter-code" && visible() !== 1) wrong.push("the check does not filter");
    const strangers = rows.filter(row => !row.cells[0].textContent.startsWith(select.value));
    if (id === "filter-folder" && strangers.length) wrong.push("the folder does not filter");
    change(select, {selectedIndex: 0});
  }
  return visible() === cards.length ? wrong : [...wrong, "cards stay away"];
})()"""
COPY = """(async () => {
  const button = document.querySelector(".copy");
  if (!button) return [];
  button.click();
  await new Promise(done => setTimeout(done, 300));
  return button.textContent === "Copied" ? [] : ["the button says: " + button.textContent];
})()"""
WITHOUT_SCRIPT = """[...document.querySelectorAll("#filters, .copy")].filter(each => each.getClientRects().length)
  .map(each => "is there without a script: " + each.className)"""
PRINTED = """(() => {
  const wrong = [...document.querySelectorAll("nav, #filters, .copy")].filter(each => each.getClientRects().length)
    .map(each => "is printed: " + each.className);
  if ([...document.querySelectorAll("details p")].some(each => !each.checkVisibility())) wrong.push("what is folded is not printed");
  if ([...document.querySelectorAll(".rows")].some(each => each.scrollHeight > each.clientHeight + 2)) wrong.push("a table is cut");
  return wrong;
})()"""


def troubles(browser: Browser) -> Iterator[str]:
    """What the browser complained of, and what it asked for besides the page."""
    for event in browser.events:
        values = event["params"]
        if event["method"] == "Log.entryAdded":
            yield f"console: {values['entry']['text']}"
        elif event["method"] in ("Runtime.consoleAPICalled", "Runtime.exceptionThrown"):
            yield f"console: {values}"
        elif event["method"] == "Network.requestWillBeSent" and not values["request"]["url"].startswith(("file:", "data:")):
            yield f"request: {values['request']['url']}"


def looked_at(browser: Browser, page: Path, keep: Path | None) -> Iterator[str]:
    """What is wrong with a page, and where."""
    for width in WIDTHS:
        for dark in (False, True):
            browser.show(page, width, dark=dark)
            yield from (f"{width} px: {wrong}" for wrong in (*browser.run(LAYOUT), *browser.run(FILTERS), *troubles(browser)))
            if keep is not None:
                height = min(browser.run("document.documentElement.scrollHeight"), _TALLEST)
                browser.screenshot(keep / f"{page.stem}-{width}-{'dark' if dark else 'light'}.png", x=0, y=0, width=width, height=height)
    yield from browser.run(COPY)
    browser.show(page, 800, print_=True)
    yield from browser.run(PRINTED)
    browser.send("Emulation.setScriptExecutionDisabled", value=True)
    browser.show(page, WIDTHS[0])
    browser.send("Emulation.setScriptExecutionDisabled", value=False)  # what the page was shown with stays as it is
    yield from (f"without a script: {wrong}" for wrong in (*browser.run(WITHOUT_SCRIPT), *browser.run(LAYOUT), *troubles(browser)))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--keep", type=Path, metavar="DIR", help="a folder for pictures of all pages")
    keep = parser.parse_args().keep
    program = installed()
    if program is None:
        print(f"browser-check: nothing was checked, since no Chromium is installed ({', '.join(NAMES)}).")
        return 0
    if keep is not None:
        keep.mkdir(parents=True, exist_ok=True)
    wrong = []
    with TemporaryDirectory(ignore_cleanup_errors=True) as scratch:
        root = Path(scratch)
        with Browser(program, root / "profile") as browser:
            for name, report in drawn(root).items():
                page = root / f"{name}.html"
                page.write_text(report.to_html(), encoding="utf-8")
                found = [f"{name}: {each}" for each in looked_at(browser, page, keep)]
                print(f"{name}: {page.stat().st_size / 1000:,.0f} kB, {'as it should be' if not found else f'{len(found)} faults'}")
                wrong += found
    print(*wrong, sep="\n", end="\n" if wrong else "")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
