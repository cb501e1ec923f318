"use strict";
const search = document.getElementById("search");
const found = document.getElementById("found");
const items = [...document.querySelectorAll(".item")].map((node) => ({ node, text: node.textContent.toLowerCase(), open: node.open }));

/* Hides what does not hold the words, opens what does, and marks them. */
function seek() {
  const words = search.value.trim().toLowerCase();
  let count = 0;
  for (const { node, text, open } of items) {
    const hit = text.includes(words);
    node.hidden = !hit;
    if (node.localName === "details") node.open = words ? hit : open;
    count += hit;
  }
  for (const chapter of document.querySelectorAll(".chapter")) {
    chapter.hidden = Boolean(words) && !chapter.querySelector(".item:not([hidden])");
  }
  found.value = words ? `${count} of ${items.length}` : "";
  mark(words);
}

function mark(words) {
  if (!CSS.highlights) return;
  CSS.highlights.delete("found");
  if (!words) return;
  const ranges = [];
  const walker = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const text = walker.currentNode.data.toLowerCase();
    for (let at = text.indexOf(words); at >= 0; at = text.indexOf(words, at + words.length)) {
      const range = new Range();
      range.setStart(walker.currentNode, at);
      range.setEnd(walker.currentNode, Math.min(at + words.length, walker.currentNode.length));
      ranges.push(range);
    }
  }
  CSS.highlights.set("found", new Highlight(...ranges));
}

function all(open) {
  for (const item of items) if (item.node.localName === "details") item.node.open = item.open = open;
}

function show() {
  const node = document.getElementById(location.hash.slice(1));
  if (node?.localName === "details") node.open = true;
}

search.addEventListener("input", seek);
document.getElementById("open").addEventListener("click", () => all(true));
document.getElementById("close").addEventListener("click", () => all(false));
document.getElementById("thoughts").addEventListener("change", (event) => document.body.classList.toggle("no-thoughts", !event.target.checked));
addEventListener("hashchange", show);
addEventListener("keydown", (event) => {
  if (event.key === "/" && document.activeElement !== search) {
    event.preventDefault();
    search.focus();
  } else if (event.key === "Escape" && search.value) {
    search.value = "";
    seek();
  }
});
show();
