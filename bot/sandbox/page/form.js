// A form (Discord: modal) that the bot opened.

import { el, markdown } from "./markdown.js";

const KIND = { row: 1, select: 3, text: 4, words: 10, label: 18, file: 19, radio: 21, checks: 22, check: 23 };

// Shows the form; `send(values)` says whether it was taken, else it stays open with all that was typed.
export function openForm(dialog, spec, page, send) {
  const fields = [];
  const parts = spec.components.map((component) => part(component, page, fields));
  const form = el(
    "form",
    { method: "dialog" },
    el("h3", {}, spec.title),
    ...parts,
    el(
      "div",
      { className: "buttons" },
      el("button", { className: "button secondary", type: "button", onclick: () => dialog.close() }, page.words("cancel")),
      el("button", { className: "button primary" }, page.words("submit")),
    ),
  );
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    form.classList.add("busy");
    const given = await Promise.all(fields.map(async (field) => [field.id, await field.value()]));
    const values = Object.fromEntries(given.filter(([, value]) => value !== null));
    if (await send(values)) dialog.close();
    form.classList.remove("busy");
  });
  dialog.replaceChildren(form);
  dialog.showModal();
  form.querySelector("input, textarea, select")?.focus();
}

function part(component, page, fields) {
  switch (component.type) {
    case KIND.label:
      return el(
        "label",
        { className: "field" },
        el("span", {}, component.label, component.component.required === false ? null : el("i", {}, " *")),
        component.description ? el("small", {}, component.description) : null,
        control(component.component, page, fields),
      );
    case KIND.row:
      return el("div", {}, ...component.components.map((child) => el("label", { className: "field" }, el("span", {}, child.label ?? ""), control(child, page, fields))));
    case KIND.words:
      return markdown(component.content, page.names);
    default:
      return control(component, page, fields);
  }
}

function control(component, page, fields) {
  const required = component.required !== false;
  const id = component.custom_id;
  if (component.type === KIND.text) {
    const node = el(component.style === 2 ? "textarea" : "input", {
      name: id,
      value: component.value ?? "",
      placeholder: component.placeholder ?? "",
      required,
      minLength: component.min_length ?? 0,
      maxLength: component.max_length ?? 4000,
      autocomplete: "off",
    });
    node.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) node.form.requestSubmit();
    });
    fields.push({ id, value: () => node.value });
    return node;
  }
  if (component.type === KIND.check) {
    const node = el("input", { type: "checkbox", checked: Boolean(component.default) });
    fields.push({ id, value: () => node.checked });
    return node;
  }
  if (component.type === KIND.file) {
    const node = el("input", { type: "file", name: id, required: component.required === true });
    fields.push({ id, value: () => upload(node.files[0]) });
    return node;
  }
  const many = component.type === KIND.checks || (component.max_values ?? 1) > 1;
  const options = component.options ?? [];
  if (component.type === KIND.select && !many) {
    const node = dropdown(component, options, required, page);
    fields.push({ id, value: () => (node.value ? [node.value] : []) });
    return node;
  }
  const marks = options.map((option) =>
    el("input", { type: many ? "checkbox" : "radio", name: id, value: option.value, checked: Boolean(option.default), required: required && !many }),
  );
  const chosen = () => marks.filter((mark) => mark.checked).map((mark) => mark.value);
  fields.push({ id, value: () => (component.type === KIND.radio ? (chosen()[0] ?? null) : chosen()) });
  const rows = options.map((option, at) =>
    el("label", { className: "option" }, marks[at], el("span", {}, [option.emoji?.name, option.label].filter(Boolean).join(" "), option.description ? el("small", {}, option.description) : null)),
  );
  return el("div", { className: "options", role: "group" }, ...rows);
}

// One of many, in one line; what is not required can be taken back by choosing the first line again.
function dropdown(component, options, required, page) {
  const named = (option) => [[option.emoji?.name, option.label].filter(Boolean).join(" "), option.description].filter(Boolean).join(" — ");
  const chosen = options.find((option) => option.default)?.value ?? "";
  return el(
    "select",
    { name: component.custom_id, required },
    required && chosen ? null : el("option", { value: "", selected: !chosen, hidden: required }, component.placeholder || page.words("choose")),
    ...options.map((option) => el("option", { value: option.value, selected: option.value === chosen }, named(option))),
  );
}

// A file's name and content, as the server reads them; null: none is chosen.
async function upload(file) {
  if (!file) return null;
  const bytes = new Uint8Array(await file.arrayBuffer());
  return { name: file.name, data: btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join("")) };
}
