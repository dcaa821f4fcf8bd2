// What every run begins with: it removes what the language does not define, adds `console`,
// `self` and the forbidden functions, and freezes the rest. It returns what the engine calls.
// `host` has functions of the engine, and `now` if the clock stands still.
(host) => {
  "use strict";
  // The code can set the global names, but not what these are.
  const { Array, Error, JSON, Number, Object, Reflect, String, TypeError, WeakMap } = globalThis;
  const { freeze, getOwnPropertyDescriptor, getPrototypeOf, defineProperty } = Object;
  const { apply, construct, ownKeys } = Reflect;
  const { stringify } = JSON;
  const stackOf = getOwnPropertyDescriptor(Error.prototype, "stack").get;
  const root = globalThis;
  const define = (object, key, value) =>
    defineProperty(object, key, { value, writable: true, configurable: true });

  // Only the engine makes one of these, and only when memory is exhausted.
  const internal = root.InternalError.prototype;
  delete internal.constructor;
  for (const name of [
    "InternalError", "Atomics", "SharedArrayBuffer", "queueMicrotask", "performance", "WeakRef",
    "FinalizationRegistry", "DOMException", "atob", "btoa", "navigator", "gc",
  ]) delete root[name];
  // They would be called whenever an error is made, also by the engine.
  delete Error.prepareStackTrace;
  delete Error.stackTraceLimit;

  define(Math, "random", { random: () => host.random() }.random);
  if (host.now !== undefined) {
    const { now } = host;
    const RealDate = Date;
    const FixedDate = function Date(...parts) {
      if (new.target === undefined) return new RealDate(now).toString();
      return construct(RealDate, parts.length === 0 ? [now] : parts, new.target);
    };
    for (const key of ["UTC", "parse"]) define(FixedDate, key, RealDate[key]);
    define(FixedDate, "now", { now: () => now }.now);
    defineProperty(FixedDate, "length", { value: 7 });
    defineProperty(FixedDate, "prototype", { value: RealDate.prototype, writable: false });
    define(RealDate.prototype, "constructor", FixedDate);
    define(root, "Date", FixedDate);
  }

  // Digits are grouped as in en-US: there are no tables of other locales.
  const OPTIONS = ["minimumFractionDigits", "maximumFractionDigits", "useGrouping"];
  const count = (value, fallback) => {
    if (value === undefined) return fallback;
    if (value >= 0 && value <= 20) return Math.floor(value);
    throw new RangeError("the number of digits must be 0 to 20");
  };
  const format = (number, locales, options = {}) => {
    for (const locale of locales === undefined ? [] : [locales].flat()) {
      if (!/^en(-US)?$/.test(locale)) throw new RangeError(`only en-US is there, not ${locale}`);
    }
    for (const key of Object.keys(options)) {
      if (!OPTIONS.includes(key)) throw new RangeError(`there is no option ${key}`);
    }
    const least = count(options.minimumFractionDigits, 0);
    const most = count(options.maximumFractionDigits, Math.max(least, 3));
    if (least > most) throw new RangeError(`${OPTIONS[0]} is greater than ${OPTIONS[1]}`);
    const isBig = typeof number === "bigint";
    if (!isBig && !(Math.abs(number) < 1e21)) return String(number).replace("Infinity", "∞");
    let [whole, digits = ""] = (isBig ? String(number) : number.toFixed(most)).split(".");
    while (digits.length > least && digits.endsWith("0")) digits = digits.slice(0, -1);
    if (options.useGrouping !== false) whole = whole.replace(/\B(?=(\d{3})+$)/g, ",");
    return digits === "" ? whole : `${whole}.${digits}`;
  };
  for (const { prototype } of [Number, BigInt]) {
    const { valueOf } = prototype;
    define(prototype, "toLocaleString", {
      toLocaleString(locales, options) {
        return format(apply(valueOf, this, []), locales, options);
      },
    }.toLocaleString);
  }

  const log = (...values) => {
    let text = "";
    for (let index = 0; index < values.length; index += 1) {
      text += (index === 0 ? "" : " ") + String(values[index]);
    }
    host.log(text.toWellFormed());
  };
  define(root, "console", freeze({ log, info: log, warn: log, error: log, debug: log }));
  define(root, "self", root);

  // The names of a browser's network and storage: what calls them learns that it may not.
  const forbidden = new WeakMap();
  for (const name of [
    "fetch", "XMLHttpRequest", "WebSocket", "importScripts", "indexedDB", "caches",
  ]) {
    const refuse = function () {
      const error = new Error(`${name} is forbidden`);
      forbidden.set(error, name);
      throw error;
    };
    define(refuse, "name", name);
    freeze(refuse.prototype);
    defineProperty(root, name, { value: freeze(refuse) });
  }

  // What is frozen in a prototype cannot be set in what inherits from it, such as `this.name` in
  // a class of errors or the `toString` of one object. These become accessors that can.
  const KEYS = ["constructor", "message", "name", "toLocaleString", "toString", "valueOf"];
  const inherit = (prototype, key) => {
    const { value } = getOwnPropertyDescriptor(prototype, key);
    defineProperty(prototype, key, {
      get: () => value,
      set(own) {
        if (this === prototype) throw new TypeError(`'${key}' is read-only`);
        const options = { writable: true, enumerable: true, configurable: true };
        defineProperty(this, key, { value: own, ...options });
      },
    });
  };
  for (const { prototype } of [
    Object, Error, AggregateError, EvalError, RangeError, ReferenceError, SyntaxError, TypeError,
    URIError,
  ]) {
    for (const key of KEYS) if (Object.hasOwn(prototype, key)) inherit(prototype, key);
  }
  const hidden = [
    (function* () {}), (async function () {}), (async function* () {}), [][Symbol.iterator](),
    new Map().entries(), new Set().values(), ""[Symbol.iterator](), "".matchAll(/x/g),
    [].values().map((x) => x), Iterator.from({ next() {} }), new Uint8Array(),
  ];
  const seen = new Set([root, null]);
  const freezeAll = (object) => {
    for (; !seen.has(object); object = getPrototypeOf(object)) {
      seen.add(freeze(object));
      if (typeof object === "function" && object.prototype) freezeAll(object.prototype);
    }
  };
  freezeAll(internal);
  for (const object of hidden) {
    freezeAll(getPrototypeOf(object));
    if (typeof object === "function") freezeAll(getPrototypeOf(object.prototype ?? object));
  }
  for (const key of ownKeys(root)) {
    const { value } = getOwnPropertyDescriptor(root, key);
    if (typeof value === "function" || (typeof value === "object" && value)) freezeAll(value);
  }

  // From here on, nothing that these functions use can be changed by the code.
  const MAX_DEPTH = 100;
  const MAX_UNITS = 1 << 20;
  const unfit = new WeakMap();
  const CYCLE = {};
  const refuse = (reason) => {
    const error = new TypeError(reason);
    unfit.set(error, reason);
    throw error;
  };
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
  const { toString } = Array.prototype;
  const asText = (value) => {
    const isPlain = Array.isArray(value) && value.toString === toString;
    return { json: stringify(isPlain ? join(value, [value]) : String(value)), stringified: true };
  };
  const serialize = (value) => {
    if (value === undefined || typeof value === "bigint") return asText(value);
    if (typeof value === "number" && !Number.isFinite(value)) return asText(value);
    const path = [];
    const keys = [];
    let units = 0;
    const name = (key) => {
      const pointer = path.length === 0 ? "" : `/${[...keys, key].slice(1).join("/")}`;
      return pointer === "" ? "the result" : `the value at \`${pointer.slice(0, 200)}\``;
    };
    const check = function (key, item) {
      while (path.length > 0 && path[path.length - 1] !== this) {
        path.pop();
        keys.pop();
      }
      const kind = typeof item;
      if (kind === "function" || kind === "symbol" || kind === "bigint") {
        refuse(`${name(key)} is a ${kind}, which is not JSON`);
      }
      units += key.length + 3 + (kind === "string" ? item.length : 0);
      if (units > MAX_UNITS) refuse("the result is larger than 1 MiB");
      if (kind === "object" && item !== null) {
        if (host.isPromise(item)) refuse(`${name(key)} is a promise, which is not JSON`);
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
  const objectToString = Object.prototype.toString;
  const isObject = (value) =>
    typeof value === "function" || (typeof value === "object" && value !== null);
  const textOf = (thrown) => {
    if (thrown instanceof Error) return String(thrown).replace(/^Error: /, "");
    if (isObject(thrown)) {
      if (typeof thrown.message === "string") return thrown.message;
      if (thrown.toString === objectToString) return stringify(thrown);
    }
    return String(thrown);
  };
  const describe = (thrown) => {
    let text = "an error without a text";
    let stack;
    try {
      stack = isObject(thrown) ? apply(stackOf, thrown, []) : undefined;
      text = String(textOf(thrown)).slice(0, 2_000).toWellFormed();
    } catch {}
    let kind = "runtime";
    if (forbidden.has(thrown)) [kind, text] = ["forbidden", forbidden.get(thrown)];
    if (unfit.has(thrown)) [kind, text] = ["result", unfit.get(thrown)];
    return { kind, text, stack: typeof stack === "string" ? stack : undefined };
  };
  return { internal, serialize, describe };
}
