// Values of a tool as people read them: what `JSON.stringify` makes `{}` of has its content.
(given) => {
  "use strict";
  const { Array, ArrayBuffer, Date, Error, JSON, Map, Object, RegExp, Set, String } = given;
  const plain = (value) => {
    if (value instanceof Map) {
      const pairs = [...value];
      const isObject = pairs.every(([key]) => typeof key === "string");
      return isObject ? Object.fromEntries(pairs) : pairs;
    }
    if (value instanceof Set) return [...value];
    if (value instanceof Error) {
      const { cause, message, name } = value;
      return { name, message, ...value, ...(cause === undefined ? {} : { cause }) };
    }
    if (value instanceof RegExp) return String(value);
    if (value instanceof ArrayBuffer) return [...new given.Uint8Array(value)];
    return ArrayBuffer.isView(value) && typeof value.length === "number" ? [...value] : value;
  };
  // A logged value: texts as they are, errors as errors, the rest as JSON if it has any.
  const show = (value) => {
    if (typeof value !== "object" || value === null) return String(value);
    if (value instanceof Error || value instanceof RegExp) return String(value);
    if (value instanceof Date) return value.getTime() === value.getTime() ? value.toISOString() : "Invalid Date";
    const path = [];
    const replace = function (key, item) {
      while (path.length > 0 && path[path.length - 1][1] !== this) path.pop();
      const kind = typeof item;
      if (kind === "bigint") return String(item);
      if (kind === "function" || kind === "symbol" || kind === "undefined") return `[${kind}]`;
      if (kind !== "object" || item === null) return item;
      if (path.length > 100 || path.some(([original]) => original === item)) return "[cycle]";
      const shown = plain(item);
      path.push([item, shown]);
      return shown;
    };
    try {
      return JSON.stringify(value, replace) ?? String(value);
    } catch {
      return String(value);
    }
  };
  return { plain, show };
}
