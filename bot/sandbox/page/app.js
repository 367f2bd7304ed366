// The page: asks the sandbox for what one player sees, draws it, and sends what he does.

import { composer } from "./composer.js";
import { openForm } from "./form.js";
import { el, markdown, tick } from "./markdown.js";
import { follows, message, worthShowing } from "./message.js";

const POLL_MS = 1000;
const POLL_BUSY_MS = 150; // while the bot answers: its words may come before its picture
const PHONE_PX = 760; // as in style.css
const LARGE = 2.5; // how many times as wide as the screen a picture is shown that has been tapped on, at most
const SHARP = 1.5; // how many times as wide as it is, at most
const THREADS_SHOWN = 4; // older ones are folded away when they are over
const at = (id) => document.getElementById(id);
const language = { now: localStorage.language ?? navigator.language, next: "", locale: "en-US", words: {} };
const where = { player: "", channel: "" };
let screen = null;
let drawn = new Map(); // message id -> { json, node }
let offered = null; // commands of this player and channel
let games = 0; // threads that this player could see when the page was drawn last
let privately = null; // id of the message for one's eyes only that answered last: what the bot posts below must not push it away
let held = null; // what was pressed last, and where: it stays under the finger while its message changes
let rests = 0; // where the page has scrolled to by itself: whoever reads there follows what comes

const page = {
  words: (key, params = {}) => (language.words[`sandbox.${key}`] ?? key).replace(/\{(\w+)\}/g, (whole, name) => params[name] ?? whole),
  names: {
    user: (id) => screen.users[id] ?? "?",
    channel: (id) => screen.names[id] ?? "?",
    sign: (id) => (screen.channels.find((channel) => channel.id === id)?.kind === "thread" ? "🧵 " : "#"),
    called: (name) => screen.channels.find((channel) => channel.name === name)?.id,
    visit: (id) => visit(id),
    command: (name) => writer.command(name),
    // What a command is called in the reader's language.
    label: (name) => page.commands().then((known) => known.find((one) => one.name === name)?.label ?? name, () => name),
  },
  colour: (id) => {
    const index = screen.players.findIndex((player) => player.id === id);
    return index < 0 ? "of-bot" : `of-${index}`;
  },
  avatar: (id) => {
    if (id === screen.bot) return el("span", { className: "avatar of-bot" });
    return el("span", { className: `avatar ${page.colour(id)}`, ariaHidden: "true" }, [...page.names.user(id)][0]);
  },
  visit: (id) => visit(id),
  dismiss: (id) => page.act({ do: "dismiss", message: id }),
  // Shows a picture so large that its smallest names can be read; where the screen is too small for all of it, about
  // what was tapped on, and a finger moves it.
  enlarge: async (src, alt, tapped) => {
    const dialog = at("picture");
    const image = dialog.firstElementChild;
    const box = tapped.currentTarget.getBoundingClientRect();
    const part = tapped.detail ? { x: (tapped.clientX - box.left) / box.width, y: (tapped.clientY - box.top) / box.height } : { x: 0.5, y: 0.5 };
    image.src = src;
    image.alt = alt;
    await image.decode().catch(() => null);
    const fits = Math.min(innerWidth / image.naturalWidth, innerHeight / image.naturalHeight);
    image.style.width = `${image.naturalWidth * Math.max(fits, Math.min(SHARP, (LARGE * innerWidth) / image.naturalWidth))}px`;
    dialog.showModal();
    dialog.scrollTo(part.x * dialog.scrollWidth - innerWidth / 2, part.y * dialog.scrollHeight - innerHeight / 2);
  },
  // Who may be named; of `others` one is none.
  people: (others = false) =>
    Object.entries(screen.users)
      .filter(([id]) => screen.players.some((player) => player.id === id) && !(others && id === where.player))
      .map(([value, name]) => ({ name, value })),
  // Whether the bot reads nothing of what is written here.
  unread: () => screen.channels.find((channel) => channel.id === where.channel)?.kind === "text",
  settle: () => at("toasts").replaceChildren(),
  rooms: () => screen.channels.filter((channel) => channel.kind !== "dm").map((channel) => ({ name: `#${channel.name}`, value: channel.id })),
  commands: async () => {
    const key = `${where.player}/${where.channel}/${language.locale}`;
    if (offered?.key !== key) {
      const list = fetch(`/commands?${query()}&locale=${language.locale}`).then((reply) => reply.json());
      list.catch(() => (offered = null));
      offered = { key, list };
    }
    return offered.list;
  },
  warn: (text, title = "") => {
    const toast = el("div", { className: "toast" }, title ? el("b", {}, title) : null, el("span", {}, text), el("button", { className: "icon", onclick: () => toast.remove() }, "✕"));
    at("toasts").append(toast);
    setTimeout(() => toast.remove(), 15000);
  },
  // Does something as this player, here. Returns the reply, or null if it was refused (which is then shown).
  act: async (body, quiet = false) => {
    const mine = ["advance", "restart", "speak"].includes(body.do) ? {} : { player: where.player, channel: where.channel, locale: language.locale };
    document.body.classList.toggle("working", !quiet);
    let reply = null;
    const before = new Set(drawn.keys());
    if (!quiet) held = pressed(body);
    const looking = quiet ? 0 : setInterval(() => asking || look(), POLL_BUSY_MS);
    try {
      const answer = await fetch("/do", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ ...body, ...mine }) });
      const told = answer.headers.get("Content-Type")?.startsWith("application/json") ? await answer.json() : { refused: await answer.text() };
      if (told.refused !== undefined) page.warn(page.words(told.refused), page.words("refused"));
      else reply = told;
    } catch {
      page.warn(page.words("offline"));
    } finally {
      clearInterval(looking);
    }
    if (quiet) return reply;
    await look();
    // What is answered is shown, wherever one was reading: a command or a text at the end, or what came for one's eyes only.
    privately = screen.messages.findLast((data) => data.ephemeral && !before.has(data.id))?.id ?? null;
    if (reply && (privately || ["slash", "send"].includes(body.do))) toEnd();
    document.body.classList.remove("working");
    if (reply && body.do === "slash" && onPhone()) at("guide").open = false;
    for (const trouble of reply?.trouble ?? []) page.warn(page.words(trouble), page.words("trouble"));
    if (reply?.form) openForm(at("form"), reply.form, page, async (values) => Boolean(await page.act({ do: "submit", form: reply.form.id, values })));
    return reply;
  },
};

const onPhone = () => innerWidth < PHONE_PX;
const writer = composer(at("composer"), page);
const query = () => new URLSearchParams(where).toString();

async function visit(channel, player = where.player) {
  if (!channel) return;
  document.body.classList.add("working");
  where.player = player;
  where.channel = channel;
  document.body.classList.remove("side-open");
  location.replace(`#${player}/${channel}`);
  await look(true);
  document.body.classList.remove("working");
}

let looking = Promise.resolve();
let asking = 0;

// Asks for the screen and draws it; one at a time, so that an old one never overwrites a newer.
function look(afresh = false) {
  asking++;
  looking = looking.then(async () => {
    const asked = query();
    const since = afresh || !screen ? "" : `&since=${screen.version}`;
    let answer;
    try {
      answer = await fetch(`/screen?${asked}${since}`);
    } catch {
      document.body.classList.add("offline");
      return;
    }
    document.body.classList.remove("offline");
    if (answer.status !== 200 || asked !== query()) return;
    await draw(await answer.json());
  }).finally(() => asking--);
  return looking;
}

async function draw(next) {
  const moved = !screen || screen.channel !== next.channel || screen.me !== next.me;
  screen = next;
  where.player = next.me;
  where.channel = next.channel;
  tick(next.now, language.locale);
  drawTop();
  drawSide();
  if (moved) {
    drawn = new Map();
    writer.place(title());
    // There a game is played already, and needs the room.
    if (next.channels.find((channel) => channel.id === next.channel).kind !== "text") at("guide").open = false;
  }
  const begun = next.channels.filter((channel) => channel.kind === "thread").length;
  if (begun > games) at("guide").open = false;
  games = begun;
  await drawMessages(moved);
  tick(next.now, language.locale);
  const unread = next.channels.filter((channel) => channel.unread).length;
  document.title = `${unread ? `(${unread}) ` : ""}${title()} · War Galley`;
}

const title = () => {
  const channel = screen.channels.find((one) => one.id === screen.channel);
  return channel.kind === "dm" ? `@${page.names.user(screen.bot)}` : `${channel.kind === "text" ? "#" : ""}${channel.name}`;
};

function drawTop() {
  at("players").replaceChildren(
    ...screen.players.map((player) =>
      el(
        "button",
        { className: "player", "aria-pressed": player.id === screen.me, title: page.words("be", { name: player.name }), onclick: () => become(player) },
        page.avatar(player.id),
        el("span", { className: "label" }, player.name),
        player.unread && player.id !== screen.me ? el("span", { className: "badge", title: page.words("asked", { name: player.name }) }, "1") : null,
      ),
    ),
  );
  const clock = new Intl.DateTimeFormat(language.locale, { weekday: "short", day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" });
  at("clock").textContent = clock.format(screen.now * 1000);
  at("title").textContent = title();
}

// Going to another player stays in the same room; in a DM, it goes to his own, which is where his orders are asked.
function become(player) {
  const direct = screen.channels.some((channel) => channel.kind === "dm" && channel.id === screen.channel);
  visit(direct ? player.dm : screen.channel, player.id);
}

const older = { shown: false };

function unfold() {
  older.shown = !older.shown;
  drawSide();
}

function drawSide() {
  const row = (channel) =>
    el(
      "button",
      {
        className: `channel ${channel.kind} ${channel.unread && channel.id !== screen.channel ? "unread" : ""} ${channel.over ? "over" : ""}`,
        "aria-current": channel.id === screen.channel ? "page" : null,
        "data-kind": channel.kind,
        onclick: () => visit(channel.id),
      },
      channel.kind === "dm" ? page.avatar(screen.bot) : null,
      el("span", {}, channel.kind === "dm" ? page.names.user(screen.bot) : channel.name),
      channel.kind === "dm" && channel.unread && channel.id !== screen.channel ? el("span", { className: "badge" }, "1") : null,
    );
  const of = (...kinds) => screen.channels.filter((channel) => kinds.includes(channel.kind)).map(row);
  const threads = of("thread");
  const old = threads.slice(0, -THREADS_SHOWN).filter((row) => row.classList.contains("over") && !row.classList.contains("unread") && !row.hasAttribute("aria-current"));
  const fold = el("button", { className: "linklike older", type: "button", hidden: !old.length, onclick: unfold }, page.words(older.shown ? "fewer" : "older", { n: old.length }));
  for (const row of old) row.hidden = !older.shown;
  at("channels").replaceChildren(el("h3", {}, page.words("channels")), ...of("text"), fold, ...threads, el("h3", {}, page.words("direct")), ...of("dm"));
  at("self").replaceChildren(page.avatar(screen.me), el("span", {}, page.words("you", { name: page.names.user(screen.me) })));
  document.body.classList.toggle("news", screen.channels.some((channel) => channel.unread && channel.id !== screen.channel));
}

// Draws anew only the messages that changed, once their pictures have come, so that nothing jumps under the finger.
async function drawMessages(moved) {
  const log = at("messages");
  const stuck = moved || following();
  const shown = screen.messages.filter(worthShowing);
  const next = new Map();
  const fresh = [];
  shown.forEach((data, index) => {
    const hangs = follows(data, shown[index - 1]);
    const json = JSON.stringify([data, hangs, language.now, data.thread ? page.names.channel(data.thread) : ""]);
    const old = drawn.get(data.id);
    if (old?.json === json) next.set(data.id, old);
    else {
      const node = message(data, page, hangs);
      next.set(data.id, { json, node });
      fresh.push(node);
    }
  });
  const pictures = fresh.flatMap((node) => [...node.querySelectorAll("img")]);
  await Promise.race([Promise.all(pictures.map((image) => image.decode().catch(() => null))), new Promise((late) => setTimeout(late, 1500))]);
  const focus = log.contains(document.activeElement) ? document.activeElement.dataset.control : null;
  const nodes = [...next.values()].map(({ node }) => node);
  if (moved) log.replaceChildren(...nodes);
  else {
    const keep = new Set(nodes);
    [...log.children].forEach((node) => keep.has(node) || node.remove());
    nodes.forEach((node, index) => log.children[index] === node || log.insertBefore(node, log.children[index] ?? null));
  }
  if ([...next.keys()].some((id) => !drawn.has(id))) held = null; // what is new is what one wants to see
  if (!nodes.length) log.replaceChildren(el("p", { className: "empty" }, page.words("empty")));
  drawn = next;
  if (moved) privately = held = null;
  if (stuck) toEnd();
  else if (held) hold();
  showNews();
  if (focus && !log.contains(document.activeElement)) {
    const same = log.querySelector(`[data-control="${CSS.escape(focus)}"]:not(:disabled)`) ?? log;
    same.focus({ preventScroll: true });
  }
}

const below = () => at("messages").scrollHeight - at("messages").scrollTop - at("messages").clientHeight;
const following = () => below() < 80 || at("messages").scrollTop === rests;

const controls = (message) => [...(drawn.get(message)?.node.querySelectorAll("[data-control]") ?? [])];

// What is pressed: its message, what is written on it, which of its message it is, and where it is on the screen.
function pressed(body) {
  const all = controls(body.message);
  const index = all.findIndex((node) => node.dataset.control === body.control);
  return index < 0 ? null : { message: body.message, index, label: all[index].textContent, top: all[index].getBoundingClientRect().top };
}

// Puts what was pressed back under the finger, as long as it is there: the same button, or a list at the same place.
function hold() {
  const log = at("messages");
  const all = controls(held?.message);
  const same = all.find((node) => node.textContent === held.label) ?? all.find((node, index) => index === held.index && node.matches(".head"));
  if (!same) {
    held = null;
    return;
  }
  const moved = same.getBoundingClientRect().top - held.top;
  const short = log.scrollTop + moved - (log.scrollHeight - log.clientHeight);
  if (short > 0) log.style.paddingBottom = `${parseFloat(getComputedStyle(log).paddingBottom) + short}px`;
  log.scrollTop += moved;
}

// Scrolls to the newest, but no further than that the last buttons of it, or of the private answer above it, stay in view;
// and where there is but one message, to its first line.
function toEnd() {
  const log = at("messages");
  const shown = drawn.get(privately)?.node ?? log.lastElementChild;
  log.style.paddingBottom = "";
  log.scrollTop = drawn.size === 1 ? 0 : log.scrollHeight;
  const [view, box] = [log.getBoundingClientRect(), shown?.getBoundingClientRect()];
  const hidden = shown ? view.top - box.top : 0;
  if (hidden > 0) {
    const ends = Math.max(...[...shown.querySelectorAll(".row")].map((row) => row.getBoundingClientRect().bottom + 8), box.top + Math.min(box.height, view.height));
    log.scrollTop -= Math.max(0, Math.min(hidden, view.bottom - ends));
  }
  if (held) hold();
  rests = log.scrollTop;
  showNews();
}

// Offers the way down while whole messages wait below what is in view.
function showNews() {
  const last = at("messages").lastElementChild?.getBoundingClientRect();
  at("news").hidden = !(drawn.size > 1 && last && last.top > at("messages").getBoundingClientRect().bottom - 40);
}

async function speak(name) {
  const told = await fetch(`/words/${name}`).then((reply) => reply.json());
  Object.assign(language, { now: told.language, next: told.next, locale: told.locale, words: told.words });
  localStorage.language = told.language;
  document.documentElement.lang = told.language;
  offered = null;
  at("side").querySelector("h1").textContent = page.words("guild");
  for (const [id, key] of [["hour", "hour"], ["day", "day"], ["restart", "restart"]]) {
    at(id).replaceChildren(...(key === "restart" ? ["↻", el("span", { className: "long" }, ` ${page.words(key)}`)] : [page.words(key)]));
    at(id).setAttribute("aria-label", page.words(key));
    at(id).title = page.words(`${key}.about`);
  }
  at("language").textContent = told.next.toUpperCase();
  at("language").title = page.words("language.about");
  at("guide").querySelector("summary").textContent = page.words("guide");
  at("news").textContent = `↓ ${page.words("news")}`;
  // In a line of the guide `[/galley new](size=1)` opens that command with these options filled in, `[…](dm)` one's direct messages.
  const said = (text) => (text.trim() ? [...markdown(text.replace(/^ /, "\u00a0"), page.names).firstChild.childNodes] : [text]);
  const filledIn = (filled) => Object.fromEntries(new URLSearchParams(filled));
  const direct = () => visit(screen.players.find((player) => player.id === screen.me).dm);
  const leads = (name, to) => el("button", { className: "mention", "data-to": to || name, onclick: () => (to === "dm" ? direct() : writer.command(name.slice(1), filledIn(to))) }, name);
  const run = (line) => line.split(/\[([^\]]+)\]\(([^)]*)\)/).flatMap((part, index, parts) => (index % 3 === 0 ? said(part) : index % 3 === 1 ? [leads(part, parts[index + 1])] : []));
  at("guide").querySelector("ol").replaceChildren(...[1, 2, 3, 4, 5].map((number) => el("li", {}, ...run(page.words(`guide.${number}`)))));
  const more = (game) => [page.words("guide.new", game), ...(game.lesson ? [page.words("guide.lesson", { ...game, title: game.lesson })] : [])];
  at("games").replaceChildren(
    ...told.games.map((game) => el("details", { name: "game", ontoggle: (opened) => opened.target.open && opened.target.scrollIntoView({ block: "nearest" }) }, el("summary", {}, game.name), el("p", {}, ...run([game.guide, ...more(game)].join(" "))))),
  );
  await page.act({ do: "speak", locale: told.locale }, true);
  if (screen) {
    writer.place(title());
    await draw({ ...screen });
  }
}

function wire() {
  at("messages").addEventListener("scroll", showNews, { passive: true });
  for (const scrolls of ["wheel", "touchmove"]) at("messages").addEventListener(scrolls, () => (held = null), { passive: true });
  // A picture that comes late pushes down what is being read.
  at("messages").addEventListener("load", () => at("messages").scrollTop === rests && toEnd(), true);
  at("news").addEventListener("click", () => {
    privately = held = null;
    toEnd();
  });
  at("menu").addEventListener("click", () => at("menu").setAttribute("aria-expanded", document.body.classList.toggle("side-open")));
  at("room").addEventListener("click", () => document.body.classList.remove("side-open"));
  at("language").addEventListener("click", () => speak(language.next));
  const tool = (id, body) =>
    at(id).addEventListener("click", async () => {
      at(id).disabled = true;
      await page.act(body);
      at(id).disabled = false;
    });
  tool("hour", { do: "advance", hours: 1 });
  tool("day", { do: "advance", hours: 24 });
  tool("restart", { do: "restart" });
  at("picture").addEventListener("click", () => at("picture").close());
  at("guide").open = localStorage.guide === "open";
  at("guide").addEventListener("toggle", () => (localStorage.guide = at("guide").open ? "open" : "closed"));
  // Pictures that come late must not push the newest message out of sight.
  at("messages").addEventListener("load", () => {
    const log = at("messages");
    if (log.scrollHeight - log.scrollTop - log.clientHeight < 700) toEnd();
  }, true);
  document.addEventListener("keydown", (event) => {
    const typing = event.target.closest("input, textarea, select, dialog, button, [role=option]");
    if (!typing && event.key.length === 1 && !event.ctrlKey && !event.metaKey && !event.altKey) writer.focus();
  });
}

async function main() {
  [where.player, where.channel] = `${location.hash.slice(1)}/`.split("/");
  wire();
  // Chromium does not draw again what was drawn before a font of last resort had come.
  const emoji = Promise.race([document.fonts.load('16px "sandbox emoji"', "🔒").catch(() => null), new Promise((late) => setTimeout(late, 2000))]);
  await Promise.all([speak(language.now), emoji]);
  await look(true);
  writer.focus();
  for (;;) {
    await new Promise((later) => setTimeout(later, POLL_MS));
    if (!document.hidden) await look();
  }
}

main();
