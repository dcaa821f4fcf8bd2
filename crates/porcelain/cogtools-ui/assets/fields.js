// Form fields of one control, made from a JSON Schema. Each reads and writes a value, and shows
// what is wrong with it.

import { element } from "./page.js";

let count = 0;

// The bounds of a value, for people.
function bounds(schema) {
  const range = (from, to, unit) => {
    if (from === undefined && to === undefined) return "";
    if (to === undefined) return `at least ${from}${unit}`;
    return from === undefined ? `at most ${to}${unit}` : `${from} to ${to}${unit}`;
  };
  const parts = [range(schema.minimum, schema.maximum, ""), range(schema.minLength, schema.maxLength, " characters"),
    schema.pattern === undefined ? "" : `matches ${schema.pattern}`];
  return parts.filter(Boolean).join(", ");
}

// What all fields have: a label, a description, a place for violations.
export function frame(name, schema, required, control, isGroup) {
  count += 1;
  const id = `field-${count}`;
  const outer = element(isGroup ? "fieldset" : "div", "", "field");
  const label = element(isGroup ? "legend" : "label", name);
  label.append(element("span", required ? " required" : " optional", "about"));
  const about = element("p", [schema.description, bounds(schema)].filter(Boolean).join(" · "), "about");
  about.id = `${id}-about`;
  const violations = element("ul", "", "violations");
  violations.id = `${id}-violations`;
  outer.append(label, about, control, violations);
  const target = isGroup ? outer : control;
  if (!isGroup) {
    control.id = id;
    label.htmlFor = id;
    control.required = false;
    control.setAttribute("aria-required", String(required));
  }
  target.setAttribute("aria-describedby", `${about.id} ${violations.id}`);
  // Only a field that was touched turns red, until all are sent.
  let isTouched = false;
  outer.addEventListener("input", () => { isTouched = true; });
  const show = (found, isSent) => {
    const failures = isTouched || isSent ? found : [];
    violations.replaceChildren(...failures.map((failure) => {
      const item = element("li", failure.message);
      // The others say to a model what the form shows.
      const hints = failure.hints.filter((hint) => hint.startsWith("did you mean"));
      item.append(...hints.map((hint) => element("p", hint, "about")));
      return item;
    }));
    if (!isGroup) {
      target.setAttribute("aria-invalid", String(failures.length > 0));
    }
  };
  return { outer, show };
}

// A field of one control. `parse` makes its value from the text.
function simple(name, schema, required, control, parse, format, isText = false) {
  const { outer, show } = frame(name, schema, required, control, false);
  if (schema.default !== undefined) {
    const shown = `default: ${typeof schema.default === "string" ? schema.default : JSON.stringify(schema.default)}`;
    if (control.options) {
      control.options[0].text = shown;
    } else {
      control.placeholder = shown;
    }
  }
  const box = element("input");
  box.type = "checkbox";
  const empty = element("label", "", "empty");
  empty.append(box, ` Send ${name} as an empty text`);
  const showEmpty = () => { empty.hidden = !isText || control.value !== ""; };
  control.addEventListener("input", showEmpty);
  showEmpty();
  outer.append(empty);
  return {
    element: outer,
    read: () => (control.value === "" ? (isText && box.checked ? "" : undefined) : parse(control.value)),
    write: (value) => {
      box.checked = value === "";
      control.value = value === undefined ? "" : format(value);
      showEmpty();
    },
    point: (pointer, fields) => fields.set(pointer, show),
  };
}

export function choice(name, schema, required, values) {
  const control = element("select");
  control.append(new Option("", ""));
  values.forEach((value, index) => {
    control.append(new Option(typeof value === "string" ? value : JSON.stringify(value), String(index)));
  });
  const indexOf = (value) => values.findIndex((one) => JSON.stringify(one) === JSON.stringify(value));
  return simple(name, schema, required, control, (text) => values[Number(text)],
    (value) => (indexOf(value) < 0 ? "" : String(indexOf(value))));
}

export function text(name, schema, required) {
  const isLong = (schema.maxLength ?? 1000) > 200 && schema.format === undefined && schema.pattern === undefined;
  const control = element(isLong ? "textarea" : "input");
  if (isLong) {
    control.rows = 2;
  }
  return simple(name, schema, required, control, (value) => value, String, true);
}

export function number(name, schema, required) {
  const control = element("input");
  control.inputMode = "decimal";
  // What is no number is sent as it is, so that the check says so.
  const parse = (value) => (Number.isFinite(Number(value)) && value.trim() ? Number(value) : value);
  return simple(name, schema, required, control, parse, String);
}

export function json(name, schema, required) {
  const control = element("textarea");
  control.rows = 3;
  const parse = (value) => {
    try {
      return JSON.parse(value);
    } catch {
      return value;
    }
  };
  return simple(name, { ...schema, description: `${schema.description ?? ""} As JSON.`.trim() }, required,
    control, parse, (value) => JSON.stringify(value, null, 2));
}
