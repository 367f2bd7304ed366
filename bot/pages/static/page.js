// Replays a game and shows its new steps. The page works without it: previous and next are links.

const game = document.querySelector(".game");
const { base, language } = game.dataset;
const by = (id) => document.getElementById(id);
const [step, slider, play, film, before, after, news] = ["step", "slider", "play", "film", "before", "after", "news"].map(by);
const parts = new Map(); // label -> promise of a step's HTML
const PLAY_MS = 2500;
let labels = [];
let shown = game.dataset.label;
let playing = null;

const fetchPart = (label) => {
  if (!parts.has(label)) {
    const part = fetch(`${base}/part/${label}?lang=${language}`).then((answer) => {
      if (!answer.ok) throw new Error(String(answer.status));
      return answer.text();
    });
    part.catch(() => parts.delete(label));
    parts.set(label, part);
  }
  return parts.get(label);
};

const index = () => labels.indexOf(shown);

function link(anchor, label) {
  if (label) {
    anchor.href = `${base}/${label}?lang=${language}`;
    anchor.removeAttribute("aria-disabled");
  } else {
    anchor.removeAttribute("href");
    anchor.setAttribute("aria-disabled", "true");
  }
}

async function show(label) {
  if (!labels.includes(label)) return;
  shown = label;
  slider.value = String(index());
  slider.setAttribute("aria-valuetext", label.slice(1));
  let html;
  try {
    html = await fetchPart(label);
  } catch {
    return gone();
  }
  if (shown !== label) return; // another step was chosen meanwhile
  const open = [...step.querySelectorAll("details")].map((details) => details.open);
  step.innerHTML = html;
  step.querySelectorAll("details").forEach((details, number) => { details.open = open[number] ?? false; });
  history.replaceState(null, "", `${base}?lang=${language}#${label}`);
  for (const other of document.querySelectorAll("header nav a")) other.hash = label;
  link(before, labels[index() - 1]);
  link(after, labels[index() + 1]);
  film.disabled = !by("picture").dataset.film;
  film.textContent = game.dataset.film;
  prepare();
  for (const near of [labels[index() + 1], labels[index() - 1]]) if (near) fetchPart(near);
}

const go = (change) => show(labels[Math.min(labels.length - 1, Math.max(0, index() + change))]);

function stop() {
  clearInterval(playing);
  playing = null;
  play.textContent = game.dataset.play;
}

function start() {
  if (index() === labels.length - 1) show(labels[0]);
  play.textContent = game.dataset.stop;
  playing = setInterval(() => (index() < labels.length - 1 ? go(1) : stop()), PLAY_MS);
}

function toggleFilm() {
  const picture = by("picture");
  if (!picture.dataset.film) return;
  const still = picture.dataset.still ?? picture.getAttribute("src");
  const filming = picture.getAttribute("src") === picture.dataset.film;
  picture.dataset.still = still;
  picture.src = filming ? still : picture.dataset.film;
  film.textContent = filming ? game.dataset.film : game.dataset.still;
}

function gone() {
  stop();
  step.replaceChildren();
  news.textContent = game.dataset.gone;
}

function receive(head) {
  if (head.over && game.dataset.over === "no") return location.replace(`${base}?lang=${language}`); // shows the result
  const fresh = head.steps.at(-1);
  const wasNewest = !labels.length || shown === labels.at(-1);
  const changed = labels.length > 0 && labels.at(-1) !== fresh;
  labels = head.steps;
  slider.max = String(labels.length - 1);
  slider.value = String(index());
  slider.disabled = play.disabled = labels.length < 2;
  if (changed || !labels.includes(shown)) {
    news.textContent = game.dataset.new;
    if ((wasNewest && !playing) || !labels.includes(shown)) show(fresh).then(() => {
      if (!matchMedia("(prefers-reduced-motion: reduce)").matches) toggleFilm();
    });
    else link(after, labels[index() + 1]);
  }
}

// --- zoom and pan -----------------------------------------------------------------------------------------------

const view = { scale: 1, x: 0, y: 0 };
const pointers = new Map();

function apply() {
  const frame = step.querySelector(".frame");
  const picture = by("picture");
  if (!frame || !picture) return;
  view.scale = Math.min(6, Math.max(1, view.scale));
  const width = frame.clientWidth, height = frame.clientHeight;
  view.x = Math.min(0, Math.max(width * (1 - view.scale), view.x));
  view.y = Math.min(0, Math.max(height * (1 - view.scale), view.y));
  picture.style.transform = `translate(${view.x}px, ${view.y}px) scale(${view.scale})`;
  frame.classList.toggle("zoomed", view.scale > 1);
}

function zoom(factor, x, y) {
  const scale = Math.min(6, Math.max(1, view.scale * factor));
  view.x = x - (x - view.x) * (scale / view.scale);
  view.y = y - (y - view.y) * (scale / view.scale);
  view.scale = scale;
  apply();
}

function prepare() {
  const frame = step.querySelector(".frame");
  apply();
  const place = (event) => {
    const box = frame.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };
  frame.addEventListener("wheel", (event) => {
    if (!event.ctrlKey) return; // the page scrolls
    event.preventDefault();
    zoom(Math.exp(-event.deltaY / 400), ...place(event));
  }, { passive: false });
  frame.addEventListener("pointerdown", (event) => {
    pointers.set(event.pointerId, place(event));
    if (view.scale > 1) frame.setPointerCapture(event.pointerId);
  });
  frame.addEventListener("pointermove", (event) => {
    if (!pointers.has(event.pointerId)) return;
    const old = pointers.get(event.pointerId), now = place(event);
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
  for (const end of ["pointerup", "pointercancel", "pointerleave"]) frame.addEventListener(end, (event) => pointers.delete(event.pointerId));
  frame.addEventListener("keydown", (event) => {
    const middle = [frame.clientWidth / 2, frame.clientHeight / 2];
    const act = {
      "+": () => zoom(1.25, ...middle), "=": () => zoom(1.25, ...middle), "-": () => zoom(0.8, ...middle), 0: () => zoom(0.01, ...middle),
    }[event.key];
    const pan = view.scale > 1 ? { ArrowLeft: [40, 0], ArrowRight: [-40, 0], ArrowUp: [0, 40], ArrowDown: [0, -40] }[event.key] : null;
    if (act) act();
    else if (pan) { view.x += pan[0]; view.y += pan[1]; apply(); }
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
}

// --- keys, buttons, news ----------------------------------------------------------------------------------------

document.addEventListener("keydown", (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey || event.target.closest?.("input")) return;
  const act = { ArrowLeft: () => go(-1), ArrowRight: () => go(1), Home: () => show(labels[0]), End: () => show(labels.at(-1)) }[event.key];
  if (!act) return;
  event.preventDefault();
  stop();
  act();
});
for (const [anchor, change] of [[before, -1], [after, 1]]) anchor.addEventListener("click", (event) => {
  if (event.ctrlKey || event.metaKey || event.shiftKey || !labels.length) return;
  event.preventDefault();
  stop();
  go(change);
});
slider.addEventListener("input", () => { stop(); show(labels[Number(slider.value)]); });
play.addEventListener("click", () => (playing ? stop() : start()));
film.addEventListener("click", toggleFilm);
addEventListener("hashchange", () => show(location.hash.slice(1)));

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

const head = await (await fetch(`${base}/head`, { cache: "no-cache" })).json();
receive(head);
by("controls").hidden = false;
prepare();
zone();
if (location.hash && labels.includes(location.hash.slice(1))) await show(location.hash.slice(1));
if (head.over) for (const near of [labels[index() - 1], labels[index() + 1]]) near && fetchPart(near);
else listen();
