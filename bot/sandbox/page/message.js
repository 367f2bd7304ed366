// One message, with everything Discord may put into it.

import { el, markdown, written } from "./markdown.js";

// Milliseconds after which a list shows again what the bot has it show: what was chosen was refused, or changed nothing.
const REFUSED_MS = 1500;
const KIND = { row: 1, button: 2, select: 3, section: 9, text: 10, thumbnail: 11, gallery: 12, file: 13, line: 14, container: 17 };
const STYLES = { 1: "primary", 2: "secondary", 3: "success", 4: "danger", 5: "link" };
const COMPONENTS_V2 = 1 << 15;

// `page` offers: words(key, params), names (for markdown), act(body), enlarge(src, alt, tapped), dismiss(id), avatar(id), visit(channel).
export function message(data, page, follows) {
  if (data.type === 18) return started(data, page);
  const head = el(
    "header",
    {},
    el("b", { className: `name ${page.colour(data.author.id)}` }, data.author.global_name ?? data.author.username),
    data.author.bot ? el("span", { className: "app" }, page.words("app")) : null,
    el("time", {}, ["d", "t"].map((style) => written(Date.parse(data.timestamp) / 1000, style)).join(" ")),
  );
  const body = el("div", { className: "body" }, head, ...content(data, page));
  const node = el("article", { className: "message" }, above(data, page), page.avatar(data.author.id), body);
  node.classList.toggle("follows", follows);
  node.classList.toggle("ephemeral", data.ephemeral);
  return node;
}

// Whether a message hangs on the one before it, without its own name and face.
export function follows(data, before) {
  return Boolean(
    before && before.type !== 18 && data.type === 0 && before.author.id === data.author.id && !before.ephemeral &&
    Date.parse(data.timestamp) - Date.parse(before.timestamp) < 7 * 60 * 1000,
  );
}

// Discord tells of a thread twice: under its message and as a notice. The first is enough.
export function worthShowing(data) {
  return !(data.type === 18 && data.message_reference?.message_id);
}

function started(data, page) {
  const thread = el("button", { className: "mention", onclick: () => page.visit(page.names.called(data.content)) }, data.content);
  return el("article", { className: "message notice" }, el("span", { className: "arrow" }, "→"), el("div", {}, page.words("started", { name: data.author.global_name }), " ", thread));
}

function above(data, page) {
  const by = data.interaction_metadata;
  if (by?.name) return el("div", { className: "above" }, page.words("used", { name: by.user.global_name ?? by.user.username }), " ", used(by.name, page));
  const to = data.referenced_message;
  if (to) return el("div", { className: "above" }, `↰ ${to.author.global_name}: ${to.content.slice(0, 80)}`);
  return null;
}

// A command that was used, by its name in the reader's language, as Discord shows it.
function used(name, page) {
  const shown = el("span", { className: "mention" }, `/${name}`);
  page.names.label(name).then((label) => (shown.textContent = `/${label}`));
  return shown;
}

function content(data, page) {
  const out = [];
  if (data.loading) out.push(el("div", { className: "thinking" }, el("i"), el("i"), el("i"), " ", page.words("thinking")));
  if (data.content) out.push(markdown(data.content, page.names));
  if (data.content && data.edited_timestamp && !data.interaction_metadata) (out.at(-1).querySelector("p:last-child") ?? out.at(-1)).append(el("span", { className: "edited" }, page.words("edited")));
  const media = mediaOf(data);
  if (!(data.flags & COMPONENTS_V2)) out.push(...attachments(data, page));
  out.push(...data.embeds.map((embed) => embedded(embed, media, page)));
  const place = { data, page, media };
  out.push(...data.components.map((component) => draw(component, place)));
  if (data.thread) out.push(chip(data, page));
  if (data.ephemeral) {
    const dismiss = el("button", { className: "linklike", onclick: () => page.dismiss(data.id) }, page.words("dismiss"));
    out.push(el("footer", {}, "👁 ", page.words("only_you"), " · ", dismiss));
  }
  return out;
}

function chip(data, page) {
  return el("button", { className: "chip", onclick: () => page.visit(data.thread) }, el("span", {}, page.names.channel(data.thread)), el("b", {}, page.words("open_thread"), " ›"));
}

function mediaOf(data) {
  const named = Object.fromEntries(data.attachments.map((file) => [file.filename, file.url]));
  return (url) => local(named[url.replace(/^attachment:\/\//, "")] ?? url);
}

// Uploads are served by the sandbox itself, by id; the last but one part of their address.
function local(url) {
  return url.startsWith("https://cdn.simcord.invalid/attachments/") ? `/media/${url.split("/").at(-2)}` : url;
}

function picture(src, alt, page, className = "picture") {
  const image = el("img", { src, alt, title: alt });
  return el("button", { className, type: "button", "aria-label": alt, onclick: (tapped) => page.enlarge(src, alt, tapped) }, image);
}

function attachments(data, page) {
  const used = new Set(data.embeds.flatMap((embed) => [embed.image?.url, embed.thumbnail?.url]).filter(Boolean));
  const free = data.attachments.filter((file) => !used.has(`attachment://${file.filename}`) && !used.has(file.url));
  if (!free.length) return [];
  return [
    el(
      "div",
      { className: "gallery", "data-count": free.filter((file) => file.content_type.startsWith("image/")).length },
      ...free.map((file) => (file.content_type.startsWith("image/") ? picture(local(file.url), file.description ?? file.filename, page) : document_(file, page))),
    ),
  ];
}

function document_(file, page) {
  return el("a", { className: "file", href: local(file.url), download: file.filename }, `📄 ${file.filename}`, el("small", {}, page.words("size", { kb: Math.ceil(file.size / 1024) })));
}

function embedded(embed, media, page) {
  const text = (value) => (value ? markdown(value, page.names) : null);
  const box = el(
    "div",
    { className: "embed" },
    embed.author ? el("div", { className: "embed-author" }, embed.author.name) : null,
    embed.title ? el("div", { className: "embed-title" }, text(embed.title)) : null,
    text(embed.description),
    embed.fields?.length
      ? el("div", { className: "fields" }, ...embed.fields.map((field) => el("div", { className: field.inline ? "inline" : "" }, el("b", {}, text(field.name)), text(field.value))))
      : null,
    embed.image ? picture(media(embed.image.url), embed.title ?? "", page) : null,
    embed.thumbnail ? picture(media(embed.thumbnail.url), embed.title ?? "", page, "thumbnail") : null,
    embed.footer ? el("small", {}, embed.footer.text) : null,
  );
  accent(box, embed.color);
  return box;
}

function accent(box, colour) {
  if (colour !== null && colour !== undefined) box.style.borderLeftColor = `#${colour.toString(16).padStart(6, "0")}`;
}

function draw(component, place) {
  const children = () => component.components.map((child) => draw(child, place));
  switch (component.type) {
    case KIND.row:
      return el("div", { className: "row" }, ...children());
    case KIND.button:
      return button(component, place);
    case KIND.section:
      return el("div", { className: "section" }, el("div", {}, ...children()), draw(component.accessory, place));
    case KIND.text:
      return markdown(component.content, place.page.names);
    case KIND.thumbnail:
      return picture(place.media(component.media.url), component.description ?? "", place.page, "thumbnail");
    case KIND.gallery:
      return el(
        "div",
        { className: "gallery", "data-count": component.items.length },
        ...component.items.map((item) => picture(place.media(item.media.url), item.description ?? "", place.page)),
      );
    case KIND.file:
      return el("a", { className: "file", href: place.media(component.file.url), download: "" }, `📄 ${component.file.url.split("/").at(-1)}`);
    case KIND.line:
      return el("hr", { className: `${component.divider === false ? "clear" : ""} ${component.spacing === 2 ? "wide" : ""}` });
    case KIND.container: {
      const box = el("div", { className: "container" }, ...children());
      accent(box, component.accent_color);
      return box;
    }
    default:
      return menu(component, place);
  }
}

const face = (emoji) => (emoji ? (emoji.id ? `:${emoji.name}:` : emoji.name) : "");

function button(component, { data, page }) {
  const label = [face(component.emoji), component.label].filter(Boolean).join(" ");
  if (component.style === 5) return el("a", { className: "button link", href: component.url, target: "_blank", rel: "noreferrer noopener" }, `${label} ↗`);
  const node = el("button", { className: `button ${STYLES[component.style] ?? "secondary"}`, disabled: Boolean(component.disabled), "data-control": component.custom_id }, label);
  node.addEventListener("click", async () => {
    if (node.classList.contains("busy")) return;
    node.classList.add("busy");
    await page.act({ do: "click", message: data.id, control: component.custom_id });
    node.classList.remove("busy");
  });
  return node;
}

function menu(component, { data, page }) {
  const options = component.options ?? [];
  const most = component.max_values ?? 1;
  let chosen = options.filter((option) => option.default).map((option) => option.value);
  const title = el("span");
  const head = el("button", { className: "head", type: "button", disabled: Boolean(component.disabled), "aria-haspopup": "listbox", "aria-expanded": "false", "data-control": component.custom_id }, title, "⌄");
  const items = options.map((option) =>
    el(
      "li",
      { role: "option", tabIndex: -1, onclick: () => pick(option.value) },
      el("span", {}, [face(option.emoji), option.label].filter(Boolean).join(" "), option.description ? el("small", {}, option.description) : null),
    ),
  );
  const list = el("ul", { role: "listbox", hidden: true }, ...items);
  const box = el("div", { className: "select" }, head, list);
  const label = () => {
    const named = options.filter((option) => chosen.includes(option.value));
    title.textContent = named.map((option) => [face(option.emoji), option.label].filter(Boolean).join(" ")).join(", ") || component.placeholder || page.words("choose");
    title.classList.toggle("placeholder", !named.length);
    items.forEach((item, at) => item.setAttribute("aria-selected", chosen.includes(options[at].value)));
  };
  const send = async () => {
    head.classList.add("busy");
    await page.act({ do: "select", message: data.id, control: component.custom_id, values: chosen });
    head.classList.remove("busy");
    setTimeout(reset, REFUSED_MS);
  };
  const reset = () => {
    if (!box.isConnected || box.querySelector(".busy")) return;
    chosen = options.filter((option) => option.default).map((option) => option.value);
    label();
  };
  const open = (shown) => {
    list.hidden = !shown;
    head.setAttribute("aria-expanded", shown);
    if (shown) {
      (items.find((item) => item.getAttribute("aria-selected") === "true") ?? items[0])?.focus();
      list.scrollIntoView({ block: "nearest" });
      setTimeout(() => document.addEventListener("click", away), 0);
    } else document.removeEventListener("click", away);
  };
  const away = (event) => {
    if (!box.contains(event.target)) close();
  };
  const close = () => {
    open(false);
    if (most > 1 && chosen.length >= (component.min_values ?? 1)) send();
  };
  const pick = (value) => {
    if (most === 1) {
      chosen = [value];
      open(false);
      head.focus();
      send();
    } else chosen = chosen.includes(value) ? chosen.filter((one) => one !== value) : [...chosen, value].slice(-most);
    label();
  };
  head.addEventListener("click", () => (list.hidden ? open(true) : close()));
  list.addEventListener("keydown", (event) => {
    const at = items.indexOf(document.activeElement);
    const steps = { ArrowDown: 1, ArrowUp: -1 };
    if (event.key in steps) items[(at + steps[event.key] + items.length) % items.length].focus();
    else if (event.key === "Enter" || event.key === " ") pick(options[at].value);
    else if (event.key === "Escape" || event.key === "Tab") {
      close();
      head.focus();
    } else return;
    event.preventDefault();
  });
  label();
  return box;
}
