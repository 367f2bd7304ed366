// Discord's markdown as DOM nodes. Text only ever becomes text nodes, so nothing needs escaping.

export function el(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else if (key in node && key !== "list") node[key] = value;
    else if (value !== null && value !== undefined && value !== false) node.setAttribute(key, value);
  }
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}

const BODY = "((?:\\\\[^]|[^\\\\])+?)";
const wrap = (tag) => (match, names) => el(tag, {}, ...inline(match[1], names));

// Tried in this order wherever the scan stands; the first that matches wins.
const RULES = [
  [/\\([^\w\s])/y, (match) => match[1]],
  [/(`+)([^]*?[^`])\1(?!`)/y, (match) => el("code", {}, match[2].trim())],
  [new RegExp(`\\*\\*\\*${BODY}\\*\\*\\*`, "y"), (match, names) => el("strong", {}, el("em", {}, ...inline(match[1], names)))],
  [new RegExp(`\\*\\*${BODY}\\*\\*(?!\\*)`, "y"), wrap("strong")],
  [new RegExp(`__${BODY}__(?!_)`, "y"), wrap("u")],
  [new RegExp(`~~${BODY}~~`, "y"), wrap("s")],
  [new RegExp(`\\|\\|${BODY}\\|\\|`, "y"), spoiler],
  [new RegExp(`\\*(?![\\s*])${BODY}(?<!\\s)\\*(?!\\*)`, "y"), wrap("em")],
  [new RegExp(`(?<!\\w)_(?![\\s_])${BODY}(?<!\\s)_(?!\\w)`, "y"), wrap("em")],
  [/\[((?:\\.|[^\]\\])+)\]\(<?(https?:\/\/[^\s>)]+)>?\)/y, (match, names) => link(match[2], inline(match[1], names))],
  [/<(https?:\/\/[^\s>]+)>/y, (match) => link(match[1], [match[1]])],
  // The address of a message, as Discord shows it: the channel where it stands.
  [/https:\/\/discord\.com\/channels\/\d+\/(\d+)\/\d+/y, (match, names) => mention(`${names.sign(match[1])}${names.channel(match[1])} › 💬`, () => names.visit(match[1]))],
  [/https?:\/\/[^\s<]*[^\s<.,:;"')\]]/y, (match) => link(match[0], [match[0]])],
  [/<@!?(\d+)>/y, (match, names) => mention(`@${names.user(match[1])}`)],
  [/<@&(\d+)>/y, () => mention("@role")],
  [/<#(\d+)>/y, (match, names) => mention(`${names.sign(match[1])}${names.channel(match[1])}`, () => names.visit(match[1]))],
  [/<\/([^:>]+):\d+>/y, (match, names) => command(match[1], names)],
  [/<t:(-?\d+)(?::([tTdDfFR]))?>/y, (match) => moment(Number(match[1]), match[2] ?? "f")],
  [/<a?:(\w+):\d+>/y, (match) => `:${match[1]}:`],
  [/@(?:everyone|here)\b/y, (match) => mention(match[0])],
];

function inline(text, names) {
  const nodes = [];
  let plain = "";
  let at = 0;
  scan: while (at < text.length) {
    for (const [pattern, make] of RULES) {
      pattern.lastIndex = at;
      const match = pattern.exec(text);
      if (!match) continue;
      at = pattern.lastIndex; // before `make`, which scans inwards with the same patterns
      const made = make(match, names);
      if (typeof made === "string") plain += made;
      else {
        nodes.push(plain, made);
        plain = "";
      }
      continue scan;
    }
    plain += text[at++];
  }
  return [...nodes, plain].filter((node) => node !== "");
}

function spoiler(match, names) {
  const open = () => node.classList.add("open");
  const node = el("span", { className: "spoiler", tabIndex: 0, onclick: open, onkeydown: open }, el("span", {}, ...inline(match[1], names)));
  return node;
}

function link(href, children) {
  return el("a", { href, target: "_blank", rel: "noreferrer noopener" }, ...children);
}

function mention(text, onclick) {
  return onclick ? el("button", { className: "mention", type: "button", onclick }, text) : el("span", { className: "mention" }, text);
}

// Named in the reader's language, as in the list of commands; Discord shows it as it is written, and opens it all the same.
function command(name, names) {
  const shown = mention(`/${name}`, () => names.command(name));
  names.label(name).then((label) => (shown.textContent = `/${label}`));
  return shown;
}

// Virtual time: seconds since 1970, told by the page with each screen.
let now = 0;
let language = "en";

export function tick(seconds, locale, root = document) {
  now = seconds;
  language = locale;
  for (const node of root.querySelectorAll("time[data-style]")) node.textContent = written(Number(node.dataset.at), node.dataset.style);
}

function moment(at, style) {
  const full = written(at, "F");
  return el("time", { className: "moment", title: full, "data-at": at, "data-style": style }, written(at, style));
}

const STYLES = {
  t: { timeStyle: "short" },
  T: { timeStyle: "medium" },
  d: { dateStyle: "short" },
  D: { dateStyle: "long" },
  f: { dateStyle: "long", timeStyle: "short" },
  F: { dateStyle: "full", timeStyle: "short" },
};

export function written(at, style) {
  if (style !== "R") return new Intl.DateTimeFormat(language, STYLES[style]).format(at * 1000);
  const away = at - now;
  const units = [["year", 31536000], ["month", 2592000], ["day", 86400], ["hour", 3600], ["minute", 60], ["second", 1]];
  const [unit, size] = units.find(([, length]) => Math.abs(away) >= length) ?? units.at(-1);
  return new Intl.RelativeTimeFormat(language, { numeric: "auto" }).format(Math.round(away / size), unit);
}

const FENCE = /```(?:([\w+-]*)\n)?([^]*?)```\n?/g;

export function markdown(text, names) {
  const out = el("div", { className: "markdown" });
  let at = 0;
  for (const match of text.matchAll(FENCE)) {
    blocks(text.slice(at, match.index).replace(/\n$/, ""), names, out);
    out.append(el("pre", {}, el("code", {}, match[2].replace(/^\n|\n$/g, ""))));
    at = match.index + match[0].length;
  }
  blocks(text.slice(at), names, out);
  return out;
}

function blocks(text, names, out) {
  if (!text) return;
  const lines = text.split("\n");
  let plain = [];
  const flush = () => {
    if (plain.length) out.append(el("p", {}, ...inline(plain.join("\n"), names)));
    plain = [];
  };
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at];
    const heading = /^(#{1,3}) +(.+)/.exec(line);
    const small = /^-# +(.+)/.exec(line);
    if (line.startsWith(">>> ")) {
      flush();
      const quote = el("blockquote");
      blocks([line.slice(4), ...lines.slice(at + 1)].join("\n"), names, quote);
      out.append(quote);
      return;
    }
    if (/^> /.test(line)) {
      flush();
      const said = [];
      while (at < lines.length && /^> ?/.test(lines[at])) said.push(lines[at++].replace(/^> ?/, ""));
      at--;
      const quote = el("blockquote");
      blocks(said.join("\n"), names, quote);
      out.append(quote);
    } else if (heading) {
      flush();
      out.append(el(`h${heading[1].length + 2}`, {}, ...inline(heading[2], names)));
    } else if (small) {
      flush();
      out.append(el("small", {}, ...inline(small[1], names)));
    } else if (ITEM.test(line)) {
      flush();
      const items = [];
      while (at < lines.length && ITEM.test(lines[at]) && sameList(ITEM.exec(lines[at]), items[0])) items.push(ITEM.exec(lines[at++]));
      at--;
      out.append(list(items, names));
    } else plain.push(line);
  }
  flush();
}

const ITEM = /^( *)([-*]|\d+\.) +(.+)/;

const numbered = (item) => /\d/.test(item[2]);
const sameList = (item, first) => !first || item[1].length > first[1].length || numbered(item) === numbered(first);

function list(items, names) {
  const [, indent, bullet] = items[0];
  const out = numbered(items[0]) ? el("ol", { start: parseInt(bullet, 10) }) : el("ul");
  for (let at = 0; at < items.length; at++) {
    if (items[at][1].length > indent.length) {
      const inner = [];
      while (at < items.length && items[at][1].length > indent.length) inner.push(items[at++]);
      at--;
      out.lastElementChild.append(list(inner, names));
    } else out.append(el("li", {}, ...inline(items[at][3], names)));
  }
  return out;
}
