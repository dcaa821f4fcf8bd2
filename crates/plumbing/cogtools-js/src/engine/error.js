// What was thrown, as text.
(given) => {
  "use strict";
  const { Error, String, apply, forbidden, objectToString, stackOf, stringify, unfit } = given;
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
  return describe;
}
