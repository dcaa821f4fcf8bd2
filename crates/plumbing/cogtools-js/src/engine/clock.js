// A clock that stands still at `now()`, which only a result moves. It is read before anything is
// frozen.
(now, root, define, defineProperty) => {
  "use strict";
  const { construct } = Reflect;
  const RealDate = Date;
  const FixedDate = function Date(...parts) {
    if (new.target === undefined) return new RealDate(now()).toString();
    return construct(RealDate, parts.length === 0 ? [now()] : parts, new.target);
  };
  for (const key of ["UTC", "parse"]) define(FixedDate, key, RealDate[key]);
  define(FixedDate, "now", { now: () => now() }.now);
  defineProperty(FixedDate, "length", { value: 7 });
  defineProperty(FixedDate, "prototype", { value: RealDate.prototype, writable: false });
  define(RealDate.prototype, "constructor", FixedDate);
  define(root, "Date", FixedDate);
}
