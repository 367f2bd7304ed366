// Searches a rulebook. The page works without it: all rules are there, and browsers search pages, too.

const [book, field, found, turn] = [".rulebook", "#search", "#found", "#turn-in-short"].map((name) => document.querySelector(name));
const contents = document.querySelector(".chapters");
const chapters = [...book.querySelectorAll(":scope > section:not(#turn-in-short)")];

const plain = (text) => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
const words = new Map(); // rule -> its words, made when somebody searches
const wordsOf = (rule) => {
  if (!words.has(rule)) words.set(rule, plain(`${rule.textContent} ${rule.dataset.tags}`));
  return words.get(rule);
};

function search() {
  const wanted = plain(field.value).split(/\s+/).filter(Boolean);
  let count = 0;
  for (const chapter of chapters) {
    let isEmpty = true;
    for (const rule of chapter.querySelectorAll(".rule")) {
      rule.hidden = !wanted.every((word) => wordsOf(rule).includes(word));
      if (!rule.hidden) { count += 1; isEmpty = false; }
    }
    chapter.hidden = isEmpty;
  }
  turn.hidden = contents.hidden = wanted.length > 0;
  found.textContent = wanted.length ? book.dataset.found.replace("{n}", String(count)) : "";
}

// Show a rule to which a link leads, though the search has hidden it.
function reveal() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!target?.closest("[hidden]")) return;
  field.value = "";
  search();
  target.scrollIntoView();
}

field.addEventListener("input", search);
addEventListener("hashchange", reveal);
document.querySelector(".search").hidden = false;
if (location.hash) document.getElementById(decodeURIComponent(location.hash.slice(1)))?.scrollIntoView(); // the field has moved it
