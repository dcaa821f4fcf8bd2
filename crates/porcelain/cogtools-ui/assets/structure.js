// Form fields that have others: objects, lists, alternatives. Each knows its JSON pointer.

import { element } from "./page.js";
import { choice, frame, json, number, text } from "./fields.js";

const MAX_DEPTH = 8;

function resolve(schema, root) {
  let found = schema;
  for (let step = 0; step < 16 && typeof found?.$ref === "string"; step += 1) {
    const path = found.$ref.replace(/^#\/?/, "").split("/").filter(Boolean);
    found = path.reduce((at, part) => at?.[part.replaceAll("~1", "/").replaceAll("~0", "~")], root);
  }
  return typeof found === "object" && found !== null ? found : {};
}

// The alternatives of a schema, if it has any: `oneOf`, `anyOf`, several types.
function alternatives(schema) {
  const list = schema.oneOf ?? schema.anyOf;
  if (Array.isArray(list) && list.length > 1) {
    return list;
  }
  if (Array.isArray(schema.type) && schema.type.length > 1) {
    return schema.type.map((type) => ({ ...schema, type }));
  }
  return null;
}

function title(schema, index) {
  const named = schema.title ?? schema.const ?? schema.type ?? `alternative ${index + 1}`;
  return typeof named === "string" ? named : JSON.stringify(named);
}

const escape = (key) => key.replaceAll("~", "~0").replaceAll("/", "~1");

function object(name, schema, root, required, depth) {
  const body = element("div", "", "group");
  const needed = new Set(schema.required ?? []);
  const parts = Object.entries(schema.properties ?? {}).map(([key, part]) => [
    key, field(key, part, root, needed.has(key), depth + 1),
  ]);
  body.append(...parts.map(([, part]) => part.element));
  const { outer, show } = frame(name, schema, required, body, true);
  let rest = {};
  return {
    element: outer,
    read: () => {
      const entries = parts.map(([key, part]) => [key, part.read()]).filter(([, value]) => value !== undefined);
      const value = { ...rest, ...Object.fromEntries(entries) };
      return Object.keys(value).length || required ? value : undefined;
    },
    write: (value) => {
      const known = new Set(parts.map(([key]) => key));
      rest = Object.fromEntries(Object.entries(value ?? {}).filter(([key]) => !known.has(key)));
      parts.forEach(([key, part]) => part.write(value?.[key]));
    },
    point: (pointer, fields) => {
      fields.set(pointer, show);
      parts.forEach(([key, part]) => part.point(`${pointer}/${escape(key)}`, fields));
    },
  };
}

function array(name, schema, root, required, depth) {
  const body = element("div", "", "group");
  const items = [];
  const add = (value) => {
    const item = field(`${name} ${items.length + 1}`, schema.items ?? {}, root, true, depth + 1);
    const remove = element("button", `Remove ${name} ${items.length + 1}`);
    remove.type = "button";
    const row = element("div", "", "item");
    row.append(item.element, remove);
    remove.addEventListener("click", () => {
      items.splice(items.indexOf(item), 1);
      row.remove();
      more.focus();
      body.dispatchEvent(new Event("input", { bubbles: true }));
    });
    items.push(item);
    more.before(row);
    item.write(value);
    return item;
  };
  const more = element("button", `Add ${name}`);
  more.type = "button";
  more.addEventListener("click", () => {
    add(undefined).element.querySelector("input, select, textarea, button")?.focus();
    body.dispatchEvent(new Event("input", { bubbles: true }));
  });
  body.append(more);
  const { outer, show } = frame(name, schema, required, body, true);
  return {
    element: outer,
    read: () => (items.length || required ? items.map((item) => item.read() ?? null) : undefined),
    write: (value) => {
      items.splice(0);
      body.querySelectorAll(":scope > .item").forEach((row) => row.remove());
      (Array.isArray(value) ? value : []).forEach(add);
    },
    point: (pointer, fields) => {
      fields.set(pointer, show);
      items.forEach((item, index) => item.point(`${pointer}/${index}`, fields));
    },
  };
}

// One of several schemas: a choice, and the field of what was chosen.
function variant(name, schema, list, root, required, depth) {
  const body = element("div", "", "group");
  const control = element("select");
  control.append(new Option("", ""));
  list.forEach((part, index) => control.append(new Option(title(resolve(part, root), index), String(index))));
  const { outer, show } = frame(name, schema, required, control, false);
  outer.append(body);
  let chosen = null;
  const choose = (index) => {
    const part = list[index] && { ...resolve(list[index], root) };
    const isNull = part?.type === "null" || part?.const === null;
    chosen = part && !isNull ? field(name, part, root, true, depth + 1) : null;
    control.value = list[index] ? String(index) : "";
    body.replaceChildren(...(chosen ? [chosen.element] : []));
  };
  control.addEventListener("input", () => choose(Number(control.value || -1)));
  return {
    element: outer,
    read: () => (control.value === "" ? undefined : chosen ? chosen.read() : null),
    write: (value) => {
      choose(value === undefined ? -1 : list.findIndex((part) => fits(resolve(part, root), value)));
      chosen?.write(value);
    },
    point: (pointer, fields) => {
      fields.set(pointer, show);
      chosen?.point(pointer, fields);
    },
  };
}

// Whether a value may be one of a schema, as far as a form has to know.
function fits(schema, value) {
  if ("const" in schema) {
    return JSON.stringify(schema.const) === JSON.stringify(value);
  }
  const kind = value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
  const isType = (type) => type === kind || (type === "integer" && Number.isInteger(value));
  if (schema.type !== undefined && ![schema.type].flat().some(isType)) {
    return false;
  }
  const constants = Object.entries(schema.properties ?? {}).filter(([, part]) => "const" in part || part.enum?.length === 1);
  return (
    (schema.required ?? []).every((key) => value?.[key] !== undefined) &&
    constants.every(([key, part]) => value?.[key] === undefined || value[key] === (part.const ?? part.enum[0]))
  );
}

// The field of a schema.
export function field(name, part, root, required, depth = 0) {
  const schema = resolve(part, root);
  const list = alternatives(schema);
  if (depth >= MAX_DEPTH) return json(name, schema, required);
  if (Array.isArray(schema.enum)) return choice(name, schema, required, schema.enum);
  if ("const" in schema) return choice(name, schema, required, [schema.const]);
  if (list) return variant(name, schema, list, root, required, depth);
  switch (schema.type) {
    case "string": return text(name, schema, required);
    case "number":
    case "integer": return number(name, schema, required);
    case "boolean": return choice(name, schema, required, [true, false]);
    case "array": return array(name, schema, root, required, depth);
    case "object":
      return schema.properties || depth === 0
        ? object(name, schema, root, required, depth)
        : json(name, schema, required);
    default: return json(name, schema, required);
  }
}
