// What few runs need: numbers with groups of digits, results that are not JSON, and errors as
// text. It is read when it is first used, maybe after the code has changed global names, so it
// is given what it needs.
(given) => {
  "use strict";
  const { Array, Error, Object, String, apply, stringify, stackOf } = given;
  const { forbidden, unfit, toString, objectToString } = given;
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
    const isPlain = Array.isArray(value) && value.toString === toString;
    return { json: stringify(isPlain ? join(value, [value]) : String(value)), stringified: true };
  };
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
  return { format, asText, describe };
}
