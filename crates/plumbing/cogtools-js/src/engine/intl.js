// Numbers, dates and the order of texts as en-US has them: there are no tables of other locales.
// What is missing is an error, never another text.
(given) => {
  "use strict";
  const { BigInt, Date, Number, Object, RangeError, String, TypeError, freezeAll, zone } = given;
  const checkLocales = (locales) => {
    for (const locale of locales === undefined ? [] : [locales].flat()) {
      if (!/^en(-US)?$/.test(locale)) throw new RangeError(`only en-US is there, not ${locale}`);
    }
  };
  const COMMON = { localeMatcher: ["lookup", "best fit"], numberingSystem: ["latn"] };
  // The options that are set, each of them in `table` with a value that it has there.
  const read = (options, table) => {
    const found = {};
    for (const key of options === undefined ? [] : Object.keys(options)) {
      const value = options[key];
      if (value === undefined) continue;
      if (!Object.hasOwn(table, key)) throw new RangeError(`there is no option ${key}`);
      if (table[key] && !table[key].includes(value)) {
        throw new RangeError(`there is no ${key} ${String(value)}, only ${table[key].join(", ")}`);
      }
      found[key] = value;
    }
    return found;
  };

  const NUMBER = {
    ...COMMON,
    style: ["decimal", "percent", "currency"],
    currency: undefined,
    currencyDisplay: ["symbol", "code"],
    notation: ["standard", "compact"],
    compactDisplay: ["short", "long"],
    signDisplay: ["auto", "always", "never", "exceptZero"],
    useGrouping: [true, false, "auto", "always"],
    minimumIntegerDigits: undefined,
    minimumFractionDigits: undefined,
    maximumFractionDigits: undefined,
    minimumSignificantDigits: undefined,
    maximumSignificantDigits: undefined,
  };
  const SYMBOLS = {
    USD: "$", EUR: "€", GBP: "£", JPY: "¥", INR: "₹", CNY: "CN¥", KRW: "₩", BRL: "R$", CAD: "CA$",
    AUD: "A$", MXN: "MX$", NZD: "NZ$", HKD: "HK$", TWD: "NT$", ILS: "₪", VND: "₫", PHP: "₱",
  };
  const WHOLE = ["JPY", "KRW", "VND", "CLP", "ISK", "UGX", "XAF", "XOF", "XPF", "PYG", "RWF"];
  const THOUSANDTHS = ["BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND"];
  const COMPACT = { short: ["", "K", "M", "B", "T"],
    long: ["", " thousand", " million", " billion", " trillion"] };
  const count = (value, least, most, fallback) => {
    if (value === undefined) return fallback;
    if (value >= least && value <= most) return Math.floor(value);
    throw new RangeError(`the number of digits must be ${least} to ${most}`);
  };
  // The decimal digits of a number that is not negative, and the place of its point in them.
  const decimal = (number) => {
    if (typeof number === "bigint") return { digits: String(number), point: String(number).length };
    const [mantissa, exponent] = number.toExponential().split("e");
    return { digits: mantissa.replace(".", ""), point: Number(exponent) + 1 };
  };
  // Rounds half up, to `places` digits after the point.
  const round = ({ digits, point }, places) => {
    const kept = point + places;
    if (kept >= digits.length) return { digits, point };
    if (kept < 0) return { digits: "0", point: 1 };
    const text = String(BigInt(`0${digits.slice(0, kept)}`) + (digits[kept] >= "5" ? 1n : 0n));
    return text === "0" ? { digits: text, point: 1 } : { digits: text, point: point + text.length - kept };
  };
  const numberFormat = (locales, given) => {
    checkLocales(locales);
    const options = read(given, NUMBER);
    const { style = "decimal", notation = "standard", signDisplay = "auto" } = options;
    const isCompact = notation === "compact";
    let usual = [0, style === "percent" || isCompact ? 0 : 3];
    let currency = "";
    if (style === "currency") {
      if (!/^[A-Za-z]{3}$/.test(options.currency)) throw new TypeError("a style of currency needs a currency");
      currency = options.currency.toUpperCase();
      const digits = WHOLE.includes(currency) ? 0 : THOUSANDTHS.includes(currency) ? 3 : 2;
      if (!isCompact || options.maximumFractionDigits !== undefined) usual = [digits, digits];
    }
    const whole = count(options.minimumIntegerDigits, 1, 21, 1);
    const hasSignificant = options.minimumSignificantDigits !== undefined
      || options.maximumSignificantDigits !== undefined;
    const hasFraction = options.maximumFractionDigits !== undefined;
    const most = count(options.maximumFractionDigits, 0, 20,
      Math.max(usual[1], count(options.minimumFractionDigits, 0, 20, 0)));
    const least = count(options.minimumFractionDigits, 0, 20, Math.min(usual[0], most));
    if (isCompact && !hasSignificant && options.minimumFractionDigits !== undefined && options.maximumFractionDigits === undefined) {
      throw new RangeError("a compact number needs maximumFractionDigits beside minimumFractionDigits");
    }
    if (least > most && !hasSignificant) throw new RangeError("minimumFractionDigits is greater than maximumFractionDigits");
    const leastSignificant = count(options.minimumSignificantDigits, 1, 21, 1);
    const mostSignificant = count(options.maximumSignificantDigits, 1, 21, 21);
    if (leastSignificant > mostSignificant) {
      throw new RangeError("minimumSignificantDigits is greater than maximumSignificantDigits");
    }
    const rounded = (number) => {
      if (hasSignificant) return round(number, mostSignificant - number.point);
      if (isCompact && !hasFraction) return round(number, Math.max(0, 2 - number.point));
      return round(number, most);
    };
    const digitsOf = (given) => {
      let number = given;
      let suffix = "";
      if (isCompact && number.digits !== "0") {
        const groupOf = ({ point }) => Math.max(0, Math.min(Math.floor((point - 1) / 3), 4));
        let group = groupOf(number);
        const scaled = (group) => rounded({ digits: number.digits, point: number.point - 3 * group });
        if (groupOf({ point: scaled(group).point + 3 * group }) > group) group += 1;
        suffix = COMPACT[options.compactDisplay ?? "short"][group];
        number = scaled(group);
      } else number = rounded(number);
      const { digits, point } = number;
      let integer = point <= 0 ? "0" : digits.slice(0, point).padEnd(point, "0");
      let fraction = point <= 0 ? "0".repeat(-point) + digits : digits.slice(point);
      fraction = fraction.replace(/0+$/, "");
      const isZero = /^0*$/.test(integer + fraction);
      fraction = fraction.padEnd(hasSignificant ? Math.max(0, leastSignificant - point) : least, "0");
      integer = integer.padStart(whole, "0");
      const least5 = isCompact && options.useGrouping === undefined ? 5 : 1;
      if (options.useGrouping !== false && integer.length >= least5) {
        integer = integer.replace(/\B(?=(\d{3})+$)/g, ",");
      }
      return { text: (fraction === "" ? integer : `${integer}.${fraction}`) + suffix, isZero };
    };
    const format = (given) => {
      const number = typeof given === "bigint" ? given : Number(given);
      const isNegative = number < 0;
      let text = "NaN";
      let isZero = true;
      if (number === Infinity || number === -Infinity) [text, isZero] = ["∞", false];
      else if (number === number) {
        const { digits, point } = decimal(isNegative ? -number : number);
        ({ text, isZero } = digitsOf({ digits, point: point + (style === "percent" && digits !== "0" ? 2 : 0) }));
      }
      if (style === "percent") text += "%";
      if (currency !== "") {
        const symbol = options.currencyDisplay === "code" ? undefined : SYMBOLS[currency];
        text = symbol === undefined ? `${currency}\u00a0${text}` : symbol + text;
      }
      if (signDisplay === "never" || (isZero && signDisplay === "exceptZero")) return text;
      if (isNegative) return `-${text}`;
      return signDisplay === "auto" ? text : `+${text}`;
    };
    return { format, options: { locale: "en-US", numberingSystem: "latn", style, ...options } };
  };

  const TEXT = ["long", "short", "narrow"];
  const DIGITS = ["numeric", "2-digit"];
  const DATE = {
    ...COMMON,
    calendar: ["gregory"],
    formatMatcher: ["basic", "best fit"],
    weekday: TEXT,
    year: DIGITS,
    month: [...DIGITS, ...TEXT],
    day: DIGITS,
    hour: DIGITS,
    minute: DIGITS,
    second: DIGITS,
    fractionalSecondDigits: [1, 2, 3],
    timeZoneName: ["short", "shortOffset", "longOffset"],
    timeZone: undefined,
    hour12: [true, false],
    hourCycle: ["h12", "h23"],
    dateStyle: ["full", "long", "medium", "short"],
    timeStyle: ["long", "medium", "short"],
  };
  const DATE_STYLES = {
    full: { weekday: "long", year: "numeric", month: "long", day: "numeric" },
    long: { year: "numeric", month: "long", day: "numeric" },
    medium: { year: "numeric", month: "short", day: "numeric" },
    short: { year: "2-digit", month: "numeric", day: "numeric" },
  };
  const TIME = { hour: "numeric", minute: "2-digit" };
  const TIME_STYLES = {
    long: { ...TIME, second: "2-digit", timeZoneName: "short" },
    medium: { ...TIME, second: "2-digit" },
    short: TIME,
  };
  const DAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
  const MONTHS = ["January", "February", "March", "April", "May", "June", "July", "August",
    "September", "October", "November", "December"];
  const named = (name, width) =>
    width === "long" ? name : name.slice(0, width === "short" ? 3 : 1);
  const two = (number) => String(number).padStart(2, "0");
  const NAMED_ZONES = /^(America\/|US\/|Pacific\/Honolulu$|[ECMP]ST(5EDT|6CDT|7MDT|8PDT)?$)/;
  const NAMES = ["EST", "EDT", "CST", "CDT", "MST", "MDT", "PST", "PDT", "AKST", "AKDT", "HST"];
  const offsetText = (seconds, isLong) => {
    const minutes = Math.round(Math.abs(seconds) / 60);
    const [hour, minute] = [Math.floor(minutes / 60), minutes % 60];
    const tail = minute !== 0 || isLong ? `:${two(minute)}` : "";
    return `GMT${seconds < 0 ? "-" : "+"}${isLong ? two(hour) : hour}${tail}`;
  };
  // The zone at a time: its offset in seconds, its abbreviation and its name.
  const zoneAt = (name, milliseconds) => {
    if (/^[+-]\d\d:\d\d$/.test(name)) {
      const seconds = (Number(name.slice(1, 3)) * 60 + Number(name.slice(4))) * 60;
      return { offset: name[0] === "-" ? -seconds : seconds, abbreviation: "", name };
    }
    const found = zone(name, Math.floor(milliseconds / 1000));
    if (found === undefined) throw new RangeError(`there is no time zone ${name}`);
    return found;
  };
  const DATE_KEYS = ["weekday", "year", "month", "day"];
  const TIME_KEYS = ["hour", "minute", "second", "fractionalSecondDigits"];
  const dateFormat = (locales, given, required = "any", defaults = "date") => {
    checkLocales(locales);
    let options = read(given, DATE);
    const { dateStyle, timeStyle } = options;
    const has = (keys) => keys.some((key) => options[key] !== undefined);
    if (dateStyle !== undefined || timeStyle !== undefined) {
      if (has([...DATE_KEYS, ...TIME_KEYS, "timeZoneName"])) {
        throw new TypeError("dateStyle and timeStyle cannot be used with the parts of a date");
      }
      if ((required === "date" && timeStyle !== undefined) || (required === "time" && dateStyle !== undefined)) {
        throw new TypeError("use toLocaleString for a date and a time");
      }
      options = { ...DATE_STYLES[dateStyle], ...TIME_STYLES[timeStyle], ...options };
    } else if (!((required !== "time" && has(DATE_KEYS)) || (required !== "date" && has(TIME_KEYS)))) {
      const all = { year: "numeric", month: "numeric", day: "numeric" };
      if (defaults === "time") for (const key of Object.keys(all)) delete all[key];
      if (defaults !== "date") Object.assign(all, { ...TIME, second: "2-digit" });
      options = { ...options, ...all };
    }
    const { weekday, year, month, day, hour, minute, second, fractionalSecondDigits } = options;
    const isNumeric = DIGITS.includes(month);
    const kinds = DATE_KEYS.filter((key) => options[key] !== undefined).join("+");
    if (["weekday+day", "weekday+year", "year+day", "weekday+year+day", "weekday+month", "weekday+year+month"].includes(kinds)) {
      throw new RangeError(`a date of ${kinds} alone is not there; format its parts`);
    }
    const is24 = options.hour12 === undefined ? options.hourCycle === "h23" : !options.hour12;
    if ((minute === undefined && hour !== undefined && (second !== undefined || (is24 && options.timeZoneName !== undefined)))
      || (fractionalSecondDigits !== undefined && (minute === undefined || second === undefined))) {
      throw new RangeError("a time without the parts between others is not there");
    }
    const timeZone = options.timeZone === undefined ? "UTC" : String(options.timeZone);
    const canonical = zoneAt(timeZone, 0).name;
    const formatToParts = (given) => {
      const milliseconds = given === undefined ? Date.now() : Number(given);
      if (!(Math.abs(milliseconds) <= 8.64e15)) throw new RangeError("the date is not valid");
      const at = zoneAt(timeZone, milliseconds);
      const date = new Date(milliseconds + at.offset * 1000);
      const parts = [];
      const add = (type, value) => parts.push({ type, value: String(value) });
      const text = (value) => parts.length > 0 && add("literal", value);
      const put = (type, width, value) => {
        if (width !== undefined) add(type, width === "2-digit" ? two(value % 100) : value);
      };
      if (weekday !== undefined) add("weekday", named(DAYS[date.getUTCDay()], weekday));
      const fullYear = date.getUTCFullYear();
      if (fullYear < 1) throw new RangeError("years before 1 are not there");
      if (month !== undefined) {
        text(", ");
        if (isNumeric) put("month", month, date.getUTCMonth() + 1);
        else add("month", named(MONTHS[date.getUTCMonth()], month));
      }
      if (day !== undefined) {
        if (month !== undefined) text(isNumeric ? "/" : " ");
        put("day", day, date.getUTCDate());
      }
      if (year !== undefined) {
        if (month !== undefined) text(isNumeric ? "/" : day === undefined ? " " : ", ");
        put("year", year, fullYear);
      }
      const hasTime = has(TIME_KEYS);
      const isShortTime = kinds === "weekday" && hour !== undefined && !is24
        && options.timeZoneName === undefined;
      const around = isShortTime ? " " : month === "long" ? " at " : ", ";
      if (hasTime) text(around);
      const hours = date.getUTCHours();
      if (hour !== undefined) {
        const value = is24 ? hours : hours % 12 || 12;
        add("hour", is24 || hour === "2-digit" ? two(value) : value);
      }
      if (minute !== undefined) {
        if (hour !== undefined) text(":");
        const isAlone = hour === undefined && second === undefined;
        add("minute", isAlone ? date.getUTCMinutes() : two(date.getUTCMinutes()));
      }
      if (second !== undefined) {
        if (minute !== undefined) text(":");
        add("second", minute === undefined ? date.getUTCSeconds() : two(date.getUTCSeconds()));
      }
      if (fractionalSecondDigits !== undefined) {
        text(".");
        const all = String(date.getUTCMilliseconds()).padStart(3, "0");
        add("fractionalSecond", all.slice(0, fractionalSecondDigits));
      }
      if (hour !== undefined && !is24) {
        text(" ");
        add("dayPeriod", hours < 12 ? "AM" : "PM");
      }
      if (options.timeZoneName !== undefined) {
        text(hasTime ? " " : around);
        let name = offsetText(at.offset, options.timeZoneName === "longOffset");
        if (options.timeZoneName === "short") {
          if (canonical === "UTC") name = "UTC";
          else if (at.offset === 0) name = "GMT";
          else if (NAMED_ZONES.test(canonical) && NAMES.includes(at.abbreviation)) name = at.abbreviation;
        }
        add("timeZoneName", name);
      }
      return parts;
    };
    const format = (given) => formatToParts(given).map((part) => part.value).join("");
    const { hour12, hourCycle, ...rest } = options;
    const cycle = hour === undefined ? {} : { hourCycle: is24 ? "h23" : "h12", hour12: !is24 };
    return {
      format,
      formatToParts,
      options: { locale: "en-US", calendar: "gregory", numberingSystem: "latn", ...rest, ...cycle, timeZone: canonical },
    };
  };

  const COLLATOR = {
    ...COMMON,
    numeric: [true, false],
    sensitivity: ["base", "accent", "variant"],
    usage: ["sort", "search"],
    ignorePunctuation: [false],
    caseFirst: ["false"],
  };
  const ORDER = "_-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$";
  const weight = (c) => {
    if (/\s/.test(c)) return c.codePointAt(0) / 1e6;
    const at = ORDER.indexOf(c);
    if (at >= 0) return 1 + at;
    if (/\d/.test(c)) return 100 + Number(c);
    return 1_000 + c.toLowerCase().codePointAt(0);
  };
  const collator = (locales, given) => {
    checkLocales(locales);
    const options = read(given, COLLATOR);
    const unit = options.numeric ? /\d+|[^]/gu : /[^]/gu;
    const keys = (text) => {
      const plain = String(text).replace(/ß/g, "ss").normalize("NFD");
      const base = plain.replace(/\p{M}/gu, "");
      const units = base.match(unit) ?? [];
      const weights = units.flatMap((unit) => {
        if (!/^\d\d/.test(unit)) return [weight(unit)];
        const digits = unit.replace(/^0+(?=.)/, "");
        return digits.length === 1 ? [100 + Number(digits)] : [110 + digits.length, ...[...digits].map(Number)];
      });
      const cases = [...base].map((c) => (c === c.toLowerCase() ? 0 : 1));
      const marks = plain.split(/(?=\P{M})/u).map((c) => [...c].slice(1).map((m) => m.codePointAt(0)));
      return [weights, marks.flatMap((mark) => [...mark, 0]), cases];
    };
    const order = (a, b) => {
      for (let index = 0; index < a.length && index < b.length; index += 1) {
        if (a[index] !== b[index]) return a[index] < b[index] ? -1 : 1;
      }
      return Math.sign(a.length - b.length);
    };
    const levels = { base: 1, accent: 2, variant: 3 }[options.sensitivity ?? "variant"];
    const compare = (one, other) => {
      const [a, b] = [keys(one), keys(other)];
      for (let level = 0; level < levels; level += 1) {
        const found = order(a[level], b[level]);
        if (found !== 0) return found;
      }
      return 0;
    };
    return { compare, options: { locale: "en-US", ...options } };
  };

  const Intl = {};
  const type = (name, make) => {
    const Type = {
      [name]: function (locales, options) {
        const { options: resolved, ...functions } = make(locales, options);
        const self = Object.create(Type.prototype);
        Object.assign(self, functions);
        self.resolvedOptions = () => ({ ...resolved });
        return self;
      },
    }[name];
    Type.supportedLocalesOf = (locales) => [locales].flat().filter((it) => /^en(-US)?$/.test(it));
    Intl[name] = Type;
  };
  type("NumberFormat", numberFormat);
  type("DateTimeFormat", (locales, options) => dateFormat(locales, options));
  type("Collator", collator);
  for (const name of ["DisplayNames", "DurationFormat", "ListFormat", "Locale", "PluralRules",
    "RelativeTimeFormat", "Segmenter"]) {
    Intl[name] = function () {
      throw new TypeError(`Intl.${name} is not there: only NumberFormat, DateTimeFormat and Collator are, for en-US`);
    };
  }
  freezeAll(Intl);
  for (const key of Object.keys(Intl)) freezeAll(Intl[key]);
  return {
    Intl,
    number: (value, locales, options) => numberFormat(locales, options).format(value),
    date: (value, locales, options, required, defaults) =>
      value === value ? dateFormat(locales, options, required, defaults).format(value) : "Invalid Date",
    compare: (one, other, locales, options) => collator(locales, options).compare(one, other),
  };
}
