// Numbers as text, with groups of digits as in en-US: there are no tables of other locales.
(given) => {
  "use strict";
  const { Object, String } = given;
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
  return format;
}
