// structuredClone: a deep copy, with cycles, of what holds data.
(given) => {
  "use strict";
  const { Array, ArrayBuffer, Date, Error, Map, Object, RegExp, Set, TypeError, isPromise } = given;
  const clone = (value, seen) => {
    if (typeof value === "symbol" || typeof value === "function") {
      throw new TypeError(`a ${typeof value} cannot be cloned`);
    }
    if (typeof value !== "object" || value === null) return value;
    if (seen.has(value)) return seen.get(value);
    const keep = (copy) => {
      seen.set(value, copy);
      return copy;
    };
    if (isPromise(value)) throw new TypeError("a promise cannot be cloned");
    if (value instanceof Date) return keep(new Date(value.getTime()));
    if (value instanceof RegExp) return keep(new RegExp(value.source, value.flags));
    if (value instanceof ArrayBuffer) return keep(value.slice(0));
    if (ArrayBuffer.isView(value)) {
      const buffer = clone(value.buffer, seen);
      return keep(new value.constructor(buffer, value.byteOffset, value.length ?? value.byteLength));
    }
    if (value instanceof Map) {
      const copy = keep(new Map());
      for (const [key, item] of value) copy.set(clone(key, seen), clone(item, seen));
      return copy;
    }
    if (value instanceof Set) {
      const copy = keep(new Set());
      for (const item of value) copy.add(clone(item, seen));
      return copy;
    }
    if (value instanceof Error) {
      const copy = keep(new Error(value.message));
      copy.name = value.name;
      if (value.cause !== undefined) copy.cause = clone(value.cause, seen);
      return copy;
    }
    const copy = keep(Array.isArray(value) ? new Array(value.length) : {});
    for (const key of Object.keys(value)) {
      const item = clone(value[key], seen);
      Object.defineProperty(copy, key, { value: item, writable: true, enumerable: true, configurable: true });
    }
    return copy;
  };
  const structuredClone = (value) => clone(value, new Map());
  given.freezeAll(structuredClone);
  return structuredClone;
}
