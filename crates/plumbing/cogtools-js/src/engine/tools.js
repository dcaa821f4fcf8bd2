// What code calls tools with. It is read last: all that it uses is frozen.
(given) => (host, root) => {
  "use strict";
  const { Array, Error, JSON, Math, Number, Object, Promise, Proxy, String, TypeError } = given;
  const { freezeAll, stringify, text, unfit } = given;
  const { create, defineProperty, freeze } = Object;
  const MAX_STORE = 1 << 20;
  const MAX_PARALLEL = 8;
  const MAX_FOUND = 50;
  // What the language itself reads of any object is no tool.
  const NO_NAMES = ["then", "toJSON", "__proto__"];
  const bounded = (number, most) => Math.max(1, Math.min(most, Math.trunc(number) || 1));

  class ToolError extends Error {
    constructor({ message, code, tool, violations, hints }) {
      super(message);
      this.code = code;
      this.tool = tool;
      this.violations = violations;
      this.hints = hints;
    }
  }
  defineProperty(ToolError.prototype, "name", { value: "ToolError" });

  // The number of calls and blocks so far, and the function of `parallel` that runs.
  let steps = 0;
  let running;
  let waiting = [];
  const fail = (error) => new ToolError(error);
  const open = (end) => {
    if (end.error !== undefined) throw fail(end.error);
    return end.value;
  };
  // JSON has neither NaN nor infinity: they would become null, which the tool may accept.
  const checked = (tool) => {
    const path = [];
    return function (key, value) {
      while (path.length > 0 && path[path.length - 1].value !== this) path.pop();
      if (typeof value === "number" && !Number.isFinite(value)) {
        const keys = [...path.map((it) => it.key), key].slice(1);
        const pointer = keys.map((it) => `/${it.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
        const message = `${value} is no number in JSON`;
        throw fail({
          message: `${pointer}: ${message}`, code: "SCHEMA_VIOLATION", tool,
          violations: [{ pointer, message }], hints: ["check what it is computed from"],
        });
      }
      if (typeof value === "object" && value !== null) path.push({ key, value });
      return value;
    };
  };
  const call = (name, args) => {
    // Getters and `toJSON` of the arguments may call tools as well: their calls come first.
    const json = String(args === undefined ? "{}" : stringify(args, checked(name)));
    if (running !== undefined) return later(name, json);
    return open(host.calls([[String((steps += 1)), name, json]], 1)[0]);
  };

  // The result of a call in a function of `parallel`: it can only be awaited.
  const later = (name, json) => {
    const { block, index } = running;
    const step = `${block}.${index + 1}.${(running.calls += 1)}`;
    const entry = { owner: running, call: [step, name, json] };
    const promise = new Promise((resolve, reject) => {
      entry.resolve = resolve;
      entry.reject = reject;
    });
    waiting.push(entry);
    const misuse = () => {
      throw new TypeError(`in a function of \`parallel\`, return or await the result of \`tools.${name}\``);
    };
    const then = (resolve, reject) => promise.then(resolve, reject);
    return new Proxy(create(null), {
      get: (_, key) => (key === "then" ? then : misuse()),
      ...{ has: misuse, set: misuse, ownKeys: misuse, getPrototypeOf: misuse, defineProperty: misuse },
      ...{ deleteProperty: misuse, getOwnPropertyDescriptor: misuse },
    });
  };

  const parallel = (functions, { limit = MAX_PARALLEL, errors } = {}) => {
    if (running !== undefined) throw new TypeError("`parallel` cannot be called in a function of `parallel`");
    if (!Array.isArray(functions) || !functions.every((it) => typeof it === "function")) {
      throw new TypeError("`parallel` takes an array of functions: parallel([() => tools.NAME({…}), …])");
    }
    host.runJobs();
    const block = (steps += 1);
    const ends = functions.map(() => undefined);
    try {
      functions.forEach((one, index) => {
        running = { block, index, calls: 0 };
        const settle = (key) => (value) => {
          ends[index] ??= { [key]: value };
        };
        new Promise((resolve) => resolve(one())).then(settle("value"), settle("error"));
        host.runJobs();
      });
      while (waiting.length > 0) {
        const batch = waiting;
        waiting = [];
        const results = host.calls(batch.map((it) => it.call), bounded(limit, MAX_PARALLEL));
        batch.forEach(({ owner, resolve, reject }, index) => {
          running = owner;
          const { error, value } = results[index];
          if (error === undefined) resolve(value);
          else reject(fail(error));
          host.runJobs();
        });
      }
    } finally {
      running = undefined;
      waiting = [];
    }
    const values = ends.map((end, index) => {
      if (end !== undefined) return end;
      return { error: new Error(`function ${index + 1} of \`parallel\` awaits something that nothing settles`) };
    });
    const failed = values.find((end) => "error" in end);
    if (failed !== undefined && errors !== "keep") throw failed.error;
    return values.map((end) => ("error" in end ? end.error : end.value));
  };

  const functions = create(null);
  const define = (key, name) =>
    defineProperty(functions, key, { value: freeze((args) => call(name, args)), enumerable: true });
  for (const name of host.names) define(name, name);
  for (const alias of Object.keys(host.aliases)) define(alias, host.aliases[alias]);
  // A tool that is not there is called all the same: the error names the nearest one.
  const tools = new Proxy(freeze(functions), {
    get: (target, key) => {
      if (key in target || typeof key === "symbol" || NO_NAMES.includes(key)) return target[key];
      return (args) => call(key, args);
    },
  });

  const print = (...values) => host.print(values.map((value) => text().show(value)).join(" ").toWellFormed());
  const search_tools = (query, limit = 10) => open(host.search(String(query), bounded(limit, MAX_FOUND)));
  const describe = (...names) => open(host.describe(names.map(String)));

  const store = Object.assign(create(null), JSON.parse(host.store));
  const before = stringify(store);
  const keep = () => {
    const json = stringify(store);
    if (json.length > MAX_STORE) {
      const error = new TypeError("`store` is larger than 1 MiB");
      unfit.set(error, error.message);
      throw error;
    }
    return json === before ? undefined : json;
  };
  for (const [name, value] of Object.entries({ ToolError, tools, parallel, print, search_tools, describe, store })) {
    if (typeof value === "function") freezeAll(value);
    defineProperty(root, name, { value });
  }
  return keep;
}
