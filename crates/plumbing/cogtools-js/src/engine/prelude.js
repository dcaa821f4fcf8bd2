// What every run begins with: it removes what the language does not define, adds `console`,
// `self` and the forbidden functions, and freezes the rest. It returns what the engine calls.
// `host` has functions of the engine, `now` if the clock stands still, `calls` if there are tools,
// and in `read` the parts that are parsed already. Reading this takes a good part of a short run,
// so what many runs do not need is in parts of their own.
(host) => {
  "use strict";
  // The code can set the global names, but not what these are.
  const {
    Array, ArrayBuffer, BigInt, Date, Error, JSON, Map, Math, Number, Object, Promise, Proxy,
    RangeError, Reflect, RegExp, Set, String, Symbol, TypeError, Uint8Array, WeakMap, encodeURIComponent,
  } = globalThis;
  const { freeze, getOwnPropertyDescriptor, getPrototypeOf, defineProperty } = Object;
  const { apply, ownKeys } = Reflect;
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
  const readPart = (name) => host.read[name] ?? host.part(name);
  if (host.now !== undefined) readPart("clock")(host.now, root, define, defineProperty);

  const forbidden = new WeakMap();
  const unfit = new WeakMap();
  // What a part is given: it is read when it is first used, maybe after the code has changed
  // the global names.
  const given = {
    Array, ArrayBuffer, BigInt, Date, Error, JSON, Map, Math, Number, Object, Promise, Proxy,
    RangeError, RegExp, Set, String, Symbol, TypeError, Uint8Array, WeakMap, apply, encodeURIComponent, forbidden, stackOf,
    stringify, unfit,
    decodeText: (bytes, isStrict) => host.decodeText(Array.from(bytes), isStrict),
    digest: (name, bytes) => host.digest(name, Array.from(bytes)),
    encodeText: host.encodeText,
    freezeAll: (object) => freezeAll(object),
    isPromise: host.isPromise,
    isTool: host.isTool,
    randomBytes: (length) =>
      Uint8Array.from({ length }, () => Math.floor(host.unpredictable() * 256)),
    text: () => part("text"),
    zone: host.zone,
    objectToString: Object.prototype.toString,
    toString: Array.prototype.toString,
  };
  const parts = {};
  const part = (name) => (parts[name] ??= readPart(name)(given));
  for (const { prototype } of [Number, BigInt]) {
    const { valueOf } = prototype;
    define(prototype, "toLocaleString", {
      toLocaleString(locales, options) {
        return part("intl").number(apply(valueOf, this, []), locales, options);
      },
    }.toLocaleString);
  }
  const { getTime } = Date.prototype;
  for (const [name, required, defaults] of [
    ["toLocaleString", "any", "all"], ["toLocaleDateString", "date", "date"],
    ["toLocaleTimeString", "time", "time"],
  ]) {
    const method = {
      [name](locales, options) {
        return part("intl").date(apply(getTime, this, []), locales, options, required, defaults);
      },
    };
    define(Date.prototype, name, method[name]);
  }
  define(String.prototype, "localeCompare", {
    localeCompare(other, locales, options) {
      return part("intl").compare(String(this), String(other), locales, options);
    },
  }.localeCompare);
  // What few runs use is made when they first do. The code may put something else in its place.
  const lazy = (name, read) => {
    const set = (value) => define(root, name, value);
    const get = () => {
      const value = read();
      set(value);
      return value;
    };
    defineProperty(root, name, { get, set, configurable: true });
  };
  for (const name of ["URL", "URLSearchParams"]) lazy(name, () => part("url")[name]);
  for (const name of ["TextEncoder", "TextDecoder", "atob", "btoa", "crypto"]) {
    lazy(name, () => part("codec")[name]);
  }
  lazy("structuredClone", () => part("clone"));
  lazy("Intl", () => part("intl").Intl);

  const log = (...values) => {
    if (host.calls) return root.print(...values);
    let text = "";
    for (let index = 0; index < values.length; index += 1) {
      const value = values[index];
      const isShown = host.isTool && typeof value === "object" && value !== null;
      text += (index === 0 ? "" : " ") + (isShown ? part("text").show(value) : String(value));
    }
    host.log(text.toWellFormed());
  };
  define(root, "console", freeze({ log, info: log, warn: log, error: log, debug: log }));
  define(root, "self", root);

  // The names of a browser's network and storage: what calls them learns that it may not.
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
  const MAX_SHORT = 1 << 16;
  const isShort = (value) => {
    if (typeof value === "number") return value - value === 0;
    return typeof value === "string" && value.length <= MAX_SHORT;
  };
  const serialize = (value) =>
    isShort(value) ? { json: stringify(value), stringified: false } : part("result")(value);
  const keep = host.calls && part("tools")(host, root);
  return { internal, serialize, keep, describe: (thrown) => part("error")(thrown) };
}
