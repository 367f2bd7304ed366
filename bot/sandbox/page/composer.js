// Where one writes: free text, or a slash command with its options as small fields.

import { el } from "./markdown.js";

const FIRST_FIELDS = 4;
const MESSAGE_MOST = 2000; // Discord takes no more from whoever pays nothing
const KIND = { integer: 4, boolean: 5, user: 6, channel: 7, mentionable: 9, number: 10 };

// `page` offers: words, act(body, quiet), commands() -> promise, people(others), rooms(), unread(), settle(), warn(text).
export function composer(root, page) {
  const input = el("textarea", { rows: 1, id: "write", autocomplete: "off", maxLength: MESSAGE_MOST });
  const slash = el("button", { className: "icon", type: "button", title: "/" }, "/");
  const send = el("button", { className: "icon send", type: "button" }, "➤");
  const hints = el("ul", { className: "hints", role: "listbox", hidden: true });
  const line = el("div", { className: "line" }, slash, input, send);
  root.append(hints, line);
  let offers = [];
  let at = 0;
  let form = null;

  const grow = () => {
    input.style.height = "auto";
    input.style.height = `${Math.min(input.scrollHeight, 200)}px`;
  };
  const point = (to) => {
    at = (to + offers.length) % offers.length;
    [...hints.children].forEach((item, index) => item.setAttribute("aria-selected", index === at));
    hints.children[at]?.scrollIntoView({ block: "nearest" });
  };
  const hide = () => {
    hints.hidden = true;
    offers = [];
  };
  const suggest = async () => {
    if (!input.value.startsWith("/")) return hide();
    const typed = input.value.slice(1).trim().toLowerCase();
    const known = await page.commands();
    if (!input.value.startsWith("/")) return hide();
    const named = (command, fit) => fit(command.label) || fit(command.name);
    const fits = known.filter((command) => named(command, (name) => name.startsWith(typed) || typed.startsWith(`${name} `)));
    offers = fits.length ? fits : known.filter((command) => named(command, (name) => name.includes(typed)));
    hints.replaceChildren(
      ...offers.map((command, index) =>
        el("li", { role: "option", onmousedown: (event) => event.preventDefault(), onclick: () => take(command, typedOptions(command, input.value, page)), onmouseenter: () => point(index) }, el("b", {}, `/${command.label}`), el("small", {}, command.description)),
      ),
    );
    hints.hidden = !offers.length;
    if (offers.length) point(Math.max(0, offers.findIndex((command) => named(command, (name) => name === typed))));
  };
  const write = async () => {
    const text = input.value.trim();
    if (!text) return;
    if (text.startsWith("/")) {
      // Who types fast presses Enter before the list is there.
      const command = typedCommand(await page.commands(), text);
      if (command) return take(command, typedOptions(command, text, page));
      page.warn(page.words("no_command", { command: text }));
      return;
    }
    input.value = "";
    grow();
    if (!(await page.act({ do: "send", text }))) input.value = input.value || text;
    else if (page.unread()) page.warn(page.words("unread"));
    input.focus();
  };
  const take = (command, filled = {}) => {
    hide();
    input.value = "";
    grow();
    drop();
    form = commandForm(command, filled, page, drop);
    root.prepend(form);
    line.hidden = true;
    const first = form.querySelector("[required]") ?? (command.options.length <= 2 ? form.querySelector("input") : null);
    (first ?? form.querySelector("button.primary")).focus();
  };
  const drop = () => {
    form?.remove();
    form = null;
    line.hidden = false;
    input.focus();
  };
  input.addEventListener("input", () => {
    grow();
    suggest();
  });
  input.addEventListener("keydown", (event) => {
    if (event.isComposing) return;
    if (!hints.hidden) {
      const steps = { ArrowDown: 1, ArrowUp: -1 };
      if (event.key in steps) point(at + steps[event.key]);
      else if (event.key === "Tab" || event.key === "Enter") take(offers[at], typedOptions(offers[at], input.value, page));
      else if (event.key === "Escape") hide();
      else return;
      event.preventDefault();
    } else if (event.key === "Enter" && !event.shiftKey) {
      event.preventDefault();
      write();
    }
  });
  // A timer may come late, when one writes here again.
  input.addEventListener("blur", () => setTimeout(() => document.activeElement === input || hide(), 150));
  send.addEventListener("click", write);
  slash.addEventListener("click", () => {
    input.value = "/";
    input.focus();
    suggest();
  });
  return {
    // Opens the form of a command by its name, in this language or in English, with some options filled in.
    async command(name, filled) {
      const known = await page.commands();
      const command = known.find((one) => one.label === name || one.name === name) ?? known.find((one) => one.name.startsWith(name));
      if (command) take(command, filled);
      else page.warn(page.words("no_command", { command: `/${name}` }));
    },
    place(name) {
      input.placeholder = page.words("message", { channel: name });
      send.title = page.words("send");
      if (form) drop();
      hide();
      grow();
    },
    focus: () => (form ?? root).querySelector("input, select, textarea")?.focus(),
  };
}

// The part of a text after `/` and the name of a command, in this language or in English; null if it is another's.
function afterName(command, text) {
  const name = [command.label, command.name].find((one) => `${text.toLowerCase()} `.startsWith(`/${one} `));
  return name === undefined ? null : text.slice(name.length + 1);
}

function typedCommand(known, text) {
  const fits = known.filter((command) => afterName(command, text) !== null);
  return fits.sort((one, two) => two.name.length - one.name.length)[0];
}

// Options typed after a command's name, as in `/galley new game:Naval Battle`; each value ends before the next option.
function typedOptions(command, text, page) {
  const options = new Map(command.options.flatMap((option) => [option.label, option.name].map((name) => [name, option])));
  const names = [...options.keys()].sort((one, two) => two.length - one.length).join("|");
  const parts = names ? (afterName(command, text) ?? "").split(new RegExp(`\\s(${names}):`, "u")) : [];
  const filled = {};
  for (let n = 1; n < parts.length; n += 2) {
    const option = options.get(parts[n]);
    const typed = parts[n + 1].trim();
    const named = (offer) => offer.name.toLowerCase() === typed.replace(/^@/, "").toLowerCase();
    filled[option.name] = offersOf(option, page)?.find(named)?.value ?? typed;
  }
  return filled;
}

function commandForm(command, filled, page, done) {
  const values = {};
  const weight = (option) => (option.required ? 2 : 0) + (option.name in filled ? 1 : 0);
  const sorted = [...command.options].sort((one, two) => weight(two) - weight(one));
  const fields = sorted.map((option) => {
    const { node, value } = optionField(command, option, filled[option.name] ?? "", values, page);
    values[option.name] = value;
    return el("label", { className: "field", title: option.description }, el("span", {}, option.label, option.required ? el("i", {}, " *") : null), node, el("small", {}, option.description));
  });
  const rest = fields.slice(FIRST_FIELDS);
  const grid = el("div", { className: "fields" }, ...fields.slice(0, FIRST_FIELDS));
  const more = el("button", { className: "linklike", type: "button", hidden: !rest.length, onclick: () => (grid.append(...rest), more.remove()) }, page.words("more", { n: rest.length }));
  const form = el(
    "form",
    { className: "command", autocomplete: "off" },
    el("header", {}, el("b", {}, `/${command.label}`), el("small", {}, command.description)),
    grid,
    el(
      "div",
      { className: "buttons" },
      more,
      el("button", { className: "button secondary", type: "button", onclick: done }, page.words("cancel")),
      el("button", { className: "button primary" }, page.words("send")),
    ),
  );
  form.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && !event.defaultPrevented) done();
  });
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    form.classList.add("busy");
    page.settle(); // what was wrong before is out of date
    const sent = await page.act({ do: "slash", command: command.name, options: given(values) });
    form.classList.remove("busy");
    if (sent && form.isConnected) done();
  });
  return form;
}

function given(values, without) {
  return Object.fromEntries(
    Object.entries(values)
      .map(([name, value]) => [name, name === without ? "" : value()])
      .filter(([, value]) => value !== ""),
  );
}

// What a list offers for an option, or null where one writes.
function offersOf(option, page) {
  if (option.choices.length) return option.choices;
  if (option.type === KIND.boolean) return [{ name: "True", value: "true" }, { name: "False", value: "false" }]; // as Discord names them
  if (option.type === KIND.user || option.type === KIND.mentionable) return page.people(option.name.startsWith("opponent"));
  return option.type === KIND.channel ? page.rooms() : null;
}

function optionField(command, option, first, values, page) {
  const required = Boolean(option.required);
  const choices = offersOf(option, page);
  if (choices) {
    const node = el("select", { required }, required ? null : el("option", { value: "" }, "–"), ...choices.map(({ name, value }) => el("option", { value, selected: value === first }, name)));
    return { node, value: () => node.value };
  }
  const numeric = option.type === KIND.integer || option.type === KIND.number;
  const node = el("input", {
    type: numeric ? "number" : "text",
    value: first,
    required,
    min: option.min_value,
    max: option.max_value,
    step: option.type === KIND.number ? "any" : null,
    maxLength: option.max_length ?? 6000,
    placeholder: numeric && option.min_value !== undefined ? `${option.min_value}–${option.max_value ?? "…"}` : "",
    autocomplete: "off",
  });
  return option.autocomplete ? completed(command, option, node, values, page) : { node, value: () => node.value.trim() };
}

// A field whose offers come from the bot while one types. What is shown is the offer's name, what is sent its value.
function completed(command, option, node, values, page) {
  const list = el("ul", { className: "hints", role: "listbox", hidden: true });
  const box = el("div", { className: "completed" }, node, list);
  let offers = [];
  let chosen = null;
  let asked = 0;
  let at = 0;
  const take = (offer) => {
    chosen = offer;
    node.value = offer.name;
    list.hidden = true;
    node.focus();
  };
  const point = (to) => {
    at = (to + offers.length) % offers.length;
    [...list.children].forEach((item, index) => item.setAttribute("aria-selected", index === at));
  };
  const ask = async () => {
    const mine = ++asked;
    await new Promise((later) => setTimeout(later, 120));
    if (mine !== asked) return;
    const reply = await page.act({ do: "complete", command: command.name, options: given(values, option.name), option: option.name, typed: node.value }, true);
    if (mine !== asked || document.activeElement !== node) return;
    offers = reply?.choices ?? [];
    list.replaceChildren(
      ...offers.map((offer) => el("li", { role: "option", onmousedown: (event) => event.preventDefault(), onclick: (event) => (event.preventDefault(), take(offer)) }, offer.name)),
    );
    list.hidden = !offers.length;
    if (offers.length) point(0);
  };
  node.addEventListener("focus", () => chosen || ask());
  node.addEventListener("input", () => {
    chosen = null;
    ask();
  });
  node.addEventListener("blur", () => setTimeout(() => (list.hidden ||= document.activeElement !== node), 150));
  node.addEventListener("keydown", (event) => {
    if (list.hidden) return;
    const steps = { ArrowDown: 1, ArrowUp: -1 };
    if (event.key in steps) point(at + steps[event.key]);
    else if (event.key === "Enter" || event.key === "Tab") take(offers[at]);
    else if (event.key === "Escape") list.hidden = true;
    else return;
    event.preventDefault();
  });
  return { node: box, value: () => String(chosen?.value ?? node.value).trim() };
}
