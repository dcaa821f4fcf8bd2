// Results as JSON, or as the text of what JSON does not have.
(given) => {
  "use strict";
  const { Array, Date, Number, String, TypeError, isPromise, isTool, stringify, text, toString, unfit } = given;
  // The engine's own `join` does not end for an array that contains itself.
  const join = (array, path) => {
    let text = "";
    for (let index = 0; index < array.length; index += 1) {
      const item = array[index];
      const isArray = Array.isArray(item);
      if (isArray && !path.includes(item)) text += join(item, [...path, item]);
      else if (!isArray && item !== undefined && item !== null) text += String(item);
      if (index < array.length - 1) text += ",";
    }
    return text;
  };
  const asText = (value) => {
    if (isTool && value === undefined) refuse("returned nothing: add `return`");
    if (isTool && typeof value === "object") refuse("the result has a cycle or no JSON, so it is no value");
    const isPlain = Array.isArray(value) && value.toString === toString;
    return { json: stringify(isPlain ? join(value, [value]) : String(value)), stringified: true };
  };
  const MAX_DEPTH = 100;
  const MAX_UNITS = 1 << 20;
  const CYCLE = {};
  const refuse = (reason) => {
    const error = new TypeError(reason);
    unfit.set(error, reason);
    throw error;
  };
  const serialize = (value) => {
    if (value === undefined || typeof value === "bigint") return asText(value);
    const isNoNumber = (item) => typeof item === "number" && !Number.isFinite(item);
    if (isNoNumber(value) && !isTool) return asText(value);
    const path = [];
    const keys = [];
    let units = 0;
    const name = (key) => {
      const pointer = path.length === 0 ? "" : `/${[...keys, key].slice(1).join("/")}`;
      return pointer === "" ? "the result" : `the value at \`${pointer.slice(0, 200)}\``;
    };
    const check = function (key, original) {
      const item = isTool ? text().plain(original) : original;
      if (isTool && this[key] instanceof Date && item === null) refuse(`${name(key)} is an invalid date`);
      while (path.length > 0 && path[path.length - 1] !== this) {
        path.pop();
        keys.pop();
      }
      const kind = typeof item;
      if (isTool && isNoNumber(item)) refuse(`${name(key)} is ${item}, which is no number in JSON`);
      if (kind === "function" || kind === "symbol" || kind === "bigint") {
        refuse(`${name(key)} is a ${kind}, which is not JSON`);
      }
      units += key.length + 3 + (kind === "string" ? item.length : 0);
      if (units > MAX_UNITS) refuse("the result is larger than 1 MiB");
      if (kind === "object" && item !== null) {
        if (isPromise(item)) refuse(`${name(key)} is a promise, which is not JSON`);
        if (path.includes(item)) throw CYCLE;
        if (path.length === MAX_DEPTH) {
          refuse(`the result has more than ${MAX_DEPTH} levels of nesting`);
        }
        path.push(item);
        keys.push(key);
      }
      return item;
    };
    let json;
    try {
      json = stringify(value, check);
    } catch (error) {
      if (error !== CYCLE) throw error;
    }
    return json === undefined ? asText(value) : { json, stringified: false };
  };
  return serialize;
}
