// Replays a game and shows its new steps. The page works without it: all steps are links.

const game = document.querySelector(".game");
const { base, language } = game.dataset;
const by = (id) => document.getElementById(id);
const [step, slider, play, film, news, picture, pieces, frame, sheet, story, pointed] = [
  "step", "slider", "play", "film", "news", "picture", "pieces", "frame", "sheet", "story", "pointed",
].map(by);
const ways = { first: by("first"), before: by("before"), after: by("after"), last: by("last"), replay: by("replay") };
const parts = new Map(); // label -> promise of a step's document
const MIN_PLAY_MS = 2000, MAX_PLAY_MS = 9000, PLAY_MS_PER_CHAR = 22, NEWS_MS = 8000, RETRY_MS = 2000;
const title = document.title;
let labels = [];
let marks = new Map(); // label -> mark that changes with the step
let shown = game.dataset.label;
let playing = null;
let waning = null;

class PartMissing extends Error {
  constructor(status) {
    super(String(status));
    this.isGone = status === 404;
  }
}

const fetchPart = (label) => {
  if (!parts.has(label)) {
    const part = fetch(`${base}/part/${label}?lang=${language}`).then(async (answer) => {
      if (answer.status === 503) location.assign(`${base}/${label}?lang=${language}`); // its picture is drawn again
      if (!answer.ok) throw new PartMissing(answer.status);
      const content = new DOMParser().parseFromString(await answer.text(), "text/html");
      new Image().src = content.getElementById("picture").getAttribute("src");
      return content;
    });
    part.catch(() => parts.delete(label));
    parts.set(label, part);
  }
  return parts.get(label);
};

const index = () => labels.indexOf(shown);
const nameOf = (label) => {
  const number = label.slice(1).split(".")[0];
  const name = number === "0" ? game.dataset.prepared : game.dataset.round.replace("{n}", number);
  const steps = labels.filter((other) => other.startsWith(`r${number}.`));
  return steps.length < 2 ? name : game.dataset.part.replace("{round}", name).replace("{n}", steps.indexOf(label) + 1);
};

function link(anchor, label) {
  if (!anchor) return;
  if (label) {
    anchor.href = `${base}/${label}?lang=${language}`;
    for (const name of ["role", "tabindex", "aria-disabled"]) anchor.removeAttribute(name);
  } else {
    anchor.removeAttribute("href");
    anchor.setAttribute("role", "link");
    anchor.setAttribute("tabindex", "0"); // keeps the focus
    anchor.setAttribute("aria-disabled", "true");
  }
}

function placeControls() {
  const now = index(), end = labels.length - 1;
  slider.max = String(end);
  slider.value = String(now);
  slider.setAttribute("aria-valuetext", nameOf(shown));
  slider.disabled = play.disabled = labels.length < 2;
  link(ways.first, now > 0 && labels[0]);
  link(ways.before, labels[now - 1]);
  link(ways.after, labels[now + 1]);
  link(ways.last, now < end && labels[end]);
  namePlay();
}

async function show(label) {
  if (!labels.includes(label)) return;
  shown = label;
  placeControls();
  let content;
  try {
    content = await fetchPart(label);
  } catch (error) {
    if (error.isGone) return gone();
    if (shown === label) setTimeout(() => shown === label && show(label), RETRY_MS); // the site or the reader is away
    return;
  }
  if (shown !== label) return; // another step was chosen meanwhile
  put(content);
  history.replaceState(null, "", `${base}?lang=${language}#${label}`);
  for (const other of document.querySelectorAll("header nav a")) other.hash = label;
  document.title = `${nameOf(label)} · ${title}`;
  for (const near of [labels[index() + 1], labels[index() - 1]]) if (near) fetchPart(near);
}

function put(content) {
  by("captains").replaceWith(document.importNode(content.getElementById("captains"), true));
  const fresh = content.getElementById("picture");
  for (const name of ["src", "alt", "width", "height"]) picture.setAttribute(name, fresh.getAttribute(name));
  delete picture.dataset.still;
  if (fresh.dataset.film) picture.dataset.film = fresh.dataset.film;
  else delete picture.dataset.film;
  const outlines = content.getElementById("pieces");
  pieces.setAttribute("viewBox", outlines.getAttribute("viewBox"));
  const pointedAt = [...pieces.children].indexOf(document.activeElement);
  pieces.replaceChildren(...document.importNode(outlines, true).children);
  if (pointedAt >= 0) (pieces.children[pointedAt] ?? frame).focus();
  pieces.removeAttribute("hidden");
  const folds = [...story.querySelectorAll("details")];
  const open = folds.map((fold) => fold.open);
  const focused = folds.findIndex((fold) => fold.contains(document.activeElement));
  story.replaceChildren(...document.importNode(content.getElementById("story"), true).childNodes);
  story.querySelectorAll("details").forEach((fold, number) => { fold.open = open[number] ?? false; });
  if (focused >= 0) (story.querySelectorAll("summary")[focused] ?? frame).focus();
  film.disabled = !picture.dataset.film;
  film.textContent = game.dataset.film;
  point(pieces.querySelector(":focus"));
}

const go = (change) => show(labels[Math.min(labels.length - 1, Math.max(0, index() + change))]);

function stop() {
  clearTimeout(playing);
  playing = null;
  namePlay();
}

// Say what the button does: from the last step it begins at the first.
function namePlay() {
  const { stop, play: all, playOn } = game.dataset;
  play.textContent = playing ? stop : index() < 1 || index() === labels.length - 1 ? all : playOn;
}

async function goOn() {
  if (!playing) return;
  if (index() >= labels.length - 1) return stop();
  await go(1);
  if (playing) playing = setTimeout(goOn, readingMs());
}

const readingMs = () => Math.min(MAX_PLAY_MS, MIN_PLAY_MS + PLAY_MS_PER_CHAR * story.querySelector(".events").innerText.length);

async function start() {
  playing = -1;
  namePlay();
  if (index() === labels.length - 1) await show(labels[0]);
  if (playing) playing = setTimeout(goOn, readingMs());
}

function toggleFilm() {
  if (!picture.dataset.film) return;
  const still = picture.dataset.still ?? picture.getAttribute("src");
  const filming = picture.getAttribute("src") === picture.dataset.film;
  picture.dataset.still = still;
  picture.src = filming ? still : picture.dataset.film;
  film.textContent = filming ? game.dataset.film : game.dataset.still;
  pieces.toggleAttribute("hidden", !filming); // ships move in a film
}

function gone() {
  stop();
  step.replaceChildren();
  clearTimeout(waning);
  news.replaceChildren(game.dataset.gone);
}

function announce(label) {
  clearTimeout(waning);
  news.replaceChildren(game.dataset.new.replace("{round}", nameOf(label)));
  if (shown === label) {
    waning = setTimeout(() => news.replaceChildren(), NEWS_MS);
    return;
  }
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = game.dataset.show;
  button.addEventListener("click", () => { stop(); news.replaceChildren(); ways.last.focus(); show(labels.at(-1)); });
  news.append(" ", button);
}

async function receive(head) {
  if (head.over && game.dataset.over === "no") return location.replace(`${base}?lang=${language}`); // shows the result
  const fresh = head.steps.at(-1);
  const wasNewest = !labels.length || shown === labels.at(-1);
  const changed = labels.length > 0 && labels.at(-1) !== fresh;
  labels = head.steps;
  const newMarks = new Map(labels.map((label, number) => [label, head.marks[number]]));
  const grown = labels.filter((label) => marks.has(label) && marks.get(label) !== newMarks.get(label));
  marks = newMarks;
  grown.forEach((label) => parts.delete(label));
  const isLost = !labels.includes(shown); // the round was undone
  const follows = isLost || (changed && wasNewest && !playing);
  if (follows) {
    await show(fresh);
    if (!matchMedia("(prefers-reduced-motion: reduce)").matches) toggleFilm();
  } else if (grown.includes(shown)) await show(shown);
  else placeControls();
  if (changed || isLost) announce(fresh);
}

// --- zoom and pan -----------------------------------------------------------------------------------------------

const view = { scale: 1, x: 0, y: 0 };
const pointers = new Map();
const MAX_SCALE = 6;

function apply() {
  view.scale = Math.min(MAX_SCALE, Math.max(1, view.scale));
  const width = frame.clientWidth, height = frame.clientHeight;
  view.x = Math.min(0, Math.max(width * (1 - view.scale), view.x));
  view.y = Math.min(0, Math.max(height * (1 - view.scale), view.y));
  sheet.style.transform = `translate(${view.x}px, ${view.y}px) scale(${view.scale})`;
  frame.classList.toggle("zoomed", view.scale > 1);
}

function zoom(factor, x, y) {
  const scale = Math.min(MAX_SCALE, Math.max(1, view.scale * factor));
  view.x = x - (x - view.x) * (scale / view.scale);
  view.y = y - (y - view.y) * (scale / view.scale);
  view.scale = scale;
  apply();
}

// Return the point on which to zoom: what the reader points at, or the middle of all ships in sight. If that showed no
// ship any more, it's the ship nearest to it.
function middle(factor) {
  const { left, top, width, height } = frame.getBoundingClientRect();
  const targets = [".chosen", "[data-ship]", "polygon"].map((kind) => pieces.querySelectorAll(kind)).find((found) => found.length);
  const spots = [...(targets ?? [])].map((piece) => piece.getBoundingClientRect())
    .map((box) => [box.left + box.width / 2 - left, box.top + box.height / 2 - top])
    .filter(([x, y]) => x >= 0 && y >= 0 && x <= width && y <= height);
  if (!spots.length || pieces.hasAttribute("hidden")) return [width / 2, height / 2];
  const [x, y] = [0, 1].map((axis) => spots.map((at) => at[axis])).map((all) => (Math.min(...all) + Math.max(...all)) / 2);
  const staysInSight = (at) => Math.abs(at[0] - x) * factor < 0.4 * width && Math.abs(at[1] - y) * factor < 0.4 * height;
  if (spots.some(staysInSight)) return [x, y];
  const gap = (at) => Math.hypot(at[0] - x, at[1] - y);
  return spots.reduce((best, at) => (gap(at) < gap(best) ? at : best));
}

// Zoom on what matters, and move it to the middle of the frame.
function zoomOnShips(factor) {
  const [x, y] = middle(factor);
  const [left, top] = [(x - view.x) / view.scale, (y - view.y) / view.scale];
  view.scale = Math.min(MAX_SCALE, Math.max(1, view.scale * factor));
  view.x = frame.clientWidth / 2 - left * view.scale;
  view.y = frame.clientHeight / 2 - top * view.scale;
  apply();
}

const spot = (event) => {
  const box = frame.getBoundingClientRect();
  return [event.clientX - box.left, event.clientY - box.top];
};
frame.addEventListener("wheel", (event) => {
  if (!event.ctrlKey) return; // the page scrolls
  event.preventDefault();
  zoom(Math.exp(-event.deltaY / 400), ...spot(event));
}, { passive: false });
frame.addEventListener("pointerdown", (event) => pointers.set(event.pointerId, spot(event)));
addEventListener("pointermove", (event) => {
  if (!pointers.has(event.pointerId)) return;
  const old = pointers.get(event.pointerId), now = spot(event);
  if (pointers.size === 2) {
    const [other] = [...pointers].filter(([id]) => id !== event.pointerId).map(([, where]) => where);
    const spread = (a, b) => Math.hypot(a[0] - b[0], a[1] - b[1]) || 1;
    zoom(spread(now, other) / spread(old, other), (now[0] + other[0]) / 2, (now[1] + other[1]) / 2);
  } else if (view.scale > 1) {
    view.x += now[0] - old[0];
    view.y += now[1] - old[1];
    apply();
  }
  pointers.set(event.pointerId, now);
});
for (const end of ["pointerup", "pointercancel"]) addEventListener(end, (event) => pointers.delete(event.pointerId));
frame.addEventListener("dblclick", (event) => zoom(view.scale > 1 ? 0 : 2.5, ...spot(event)));
by("zoom-in").addEventListener("click", () => zoomOnShips(1.5));
by("zoom-out").addEventListener("click", () => zoomOnShips(1 / 1.5));
frame.addEventListener("keydown", (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey) return;
  const act = {
    "+": () => zoomOnShips(1.25), "=": () => zoomOnShips(1.25), "-": () => zoomOnShips(0.8), 0: () => zoom(0, 0, 0),
    ArrowDown: () => focusPiece(1), ArrowUp: () => focusPiece(-1),
  }[event.key];
  const pans = view.scale > 1 && event.target === frame;
  const pan = pans ? { ArrowLeft: [40, 0], ArrowRight: [-40, 0], ArrowUp: [0, 40], ArrowDown: [0, -40] }[event.key] : null;
  if (pan) { view.x += pan[0]; view.y += pan[1]; apply(); }
  else if (act) act();
  else return;
  event.preventDefault();
  event.stopPropagation();
});
addEventListener("resize", apply);

// --- ships and places -------------------------------------------------------------------------------------------

function point(piece) {
  for (const other of pieces.querySelectorAll(".chosen")) other.classList.remove("chosen");
  piece?.classList.add("chosen");
  pointed.textContent = piece?.getAttribute("aria-label") ?? pointed.dataset.hint;
}

function focusPiece(change) {
  const all = [...pieces.children];
  if (!all.length || pieces.hasAttribute("hidden")) return;
  const now = all.indexOf(document.activeElement);
  const next = all[now < 0 ? 0 : (now + change + all.length) % all.length];
  for (const piece of all) piece.setAttribute("tabindex", piece === next ? "0" : "-1");
  next.focus();
}

// The frame listens, because an element of SVG that listens to the focus would take it.
for (const event of ["pointerover", "focusin", "click"]) {
  frame.addEventListener(event, ({ target }) => target.matches("polygon") && point(target));
}
frame.addEventListener("pointerout", ({ pointerType }) => pointerType === "mouse" && point(pieces.querySelector(":focus")));

// --- keys, buttons, news ----------------------------------------------------------------------------------------

document.addEventListener("keydown", (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey || event.target.closest?.("input")) return;
  if (event.key === "Escape") return stop();
  const act = { ArrowLeft: () => go(-1), ArrowRight: () => go(1), Home: () => show(labels[0]), End: () => show(labels.at(-1)) }[event.key];
  if (!act) return;
  event.preventDefault();
  stop();
  act();
});
for (const [name, label] of [
  ["first", () => labels[0]], ["before", () => labels[index() - 1]], ["after", () => labels[index() + 1]],
  ["last", () => labels.at(-1)], ["replay", () => labels[0]],
]) ways[name]?.addEventListener("click", (event) => {
  if (event.ctrlKey || event.metaKey || event.shiftKey || !labels.length) return;
  event.preventDefault();
  stop();
  show(label());
});
slider.addEventListener("input", () => { stop(); show(labels[Number(slider.value)]); });
play.addEventListener("click", () => (playing ? stop() : start()));
film.addEventListener("click", toggleFilm);
addEventListener("hashchange", () => show(location.hash.slice(1)));

// Readers who follow a link and come back find the page as it was: pages that no cache keeps begin at their top.

const folds = () => [...document.querySelectorAll("details")];

function keepPlace() {
  history.scrollRestoration = "manual";
  history.replaceState({ open: folds().map((fold) => fold.open), y: scrollY }, "");
}

function returnToPlace(place) {
  history.scrollRestoration = "auto";
  history.replaceState(null, "");
  folds().forEach((fold, number) => { fold.open = place.open[number] ?? fold.open; });
  scrollTo(0, place.y);
}

addEventListener("click", (event) => {
  if (event.target.closest?.("a[href]") && !event.defaultPrevented) keepPlace();
});

function zone() {
  for (const time of document.querySelectorAll("time[datetime]")) {
    time.textContent = new Date(time.dateTime).toLocaleString(language, { dateStyle: "medium", timeStyle: "short" });
  }
}

let tag = null;
async function poll() {
  try {
    const answer = await fetch(`${base}/head`, { cache: "no-cache" });
    if (answer.status === 404) return gone();
    if (answer.ok && answer.headers.get("ETag") !== tag) {
      tag = answer.headers.get("ETag");
      receive(await answer.json());
    }
  } catch { /* the reader is offline; ask again later */ }
  setTimeout(poll, 1000 * Number(game.dataset.pollS));
}

function listen() {
  const stream = new EventSource(`${base}/live`);
  let heard = false;
  stream.addEventListener("message", (event) => { heard = true; receive(JSON.parse(event.data)); });
  stream.addEventListener("gone", () => { stream.close(); gone(); });
  stream.addEventListener("error", () => {
    if (heard && stream.readyState !== EventSource.CLOSED) return; // the browser connects again
    stream.close();
    poll();
  });
}

const place = history.state; // before a step replaces it
const head = await (await fetch(`${base}/head`, { cache: "no-cache" })).json();
receive(head);
by("controls").hidden = false;
frame.classList.add("live");
apply();
point(null);
zone();
if (location.hash && labels.includes(location.hash.slice(1))) await show(location.hash.slice(1));
if (place) returnToPlace(place);
if (head.over) for (const near of [labels[index() - 1], labels[index() + 1]]) near && fetchPart(near);
else listen();
