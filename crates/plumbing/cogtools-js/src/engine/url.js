// URL and URLSearchParams, as the URL Standard has them, for hosts in ASCII.
(given) => {
  "use strict";
  const { Array, Number, Object, String, Symbol, TypeError, Uint8Array, WeakMap } = given;
  const { decodeText, encodeURIComponent, freezeAll } = given;
  const PORTS = { "http:": "80", "https:": "443", "ws:": "80", "wss:": "443", "ftp:": "21", "file:": "" };
  const encode = (text, set) =>
    text.toWellFormed().replace(/[^]/gu, (c) => {
      if (c > "~" || c < " ") return c < "\x80" ? byte(c.charCodeAt(0)) : encodeURIComponent(c);
      return set.includes(c) ? byte(c.charCodeAt(0)) : c;
    });
  const byte = (value) => `%${value.toString(16).toUpperCase().padStart(2, "0")}`;
  const FRAGMENT = " \"<>`";
  const QUERY = " \"#<>";
  const PATH = " \"#<>?`{}";
  const USER = " \"#<>?^`{}/:;=@[\\]|";
  const decode = (text) => {
    const bytes = [];
    for (const c of encode(text, "").match(/%[0-9A-Fa-f]{2}|[^]/g) ?? []) {
      bytes.push(c.length === 3 ? Number(`0x${c.slice(1)}`) : c.charCodeAt(0));
    }
    return decodeText(new Uint8Array(bytes), false);
  };
  class Invalid extends TypeError {}
  const fail = (reason) => {
    throw new Invalid(`Invalid URL: ${reason}`);
  };

  const ipv4 = (host) => {
    const parts = host.replace(/\.$/, "").split(".");
    if (!/^(\d+|0x[0-9a-f]*)$/.test(parts.at(-1))) return host;
    const numbers = parts.map((part) => {
      if (/^0x[0-9a-f]*$/.test(part)) return part === "0x" ? 0 : Number(part);
      if (/^0[0-7]+$/.test(part)) return Number(`0o${part}`);
      return /^(0|[1-9]\d*)$/.test(part) ? Number(part) : fail(host);
    });
    if (numbers.length > 4 || numbers.slice(0, -1).some((it) => it > 255)) fail(host);
    if (numbers.at(-1) >= 256 ** (5 - numbers.length)) fail(host);
    let value = numbers.at(-1);
    numbers.slice(0, -1).forEach((number, index) => (value += number * 256 ** (3 - index)));
    return [24, 16, 8, 0].map((shift) => Math.floor(value / 2 ** shift) % 256).join(".");
  };
  const ipv6 = (text) => {
    let address = text;
    const last = /^(.*:)(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(address);
    if (last) {
      const [a, b, c, d] = last.slice(2).map(Number);
      if ([a, b, c, d].some((it, index) => it > 255 || String(it) !== last[index + 2])) fail(text);
      address = `${last[1]}${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
    }
    const sides = address.split("::").map((side) => (side === "" ? [] : side.split(":")));
    const count = sides.flat().length;
    if (sides.length > 2 || (sides.length === 1 ? count !== 8 : count > 7)) fail(text);
    if (sides.flat().some((piece) => !/^[0-9a-f]{1,4}$/i.test(piece))) fail(text);
    const pieces = sides.length === 1 ? sides[0] : [...sides[0], ...Array(8 - count).fill("0"), ...sides[1]];
    const plain = pieces.map((piece) => Number(`0x${piece}`).toString(16));
    let [start, length] = [-1, 1];
    for (let at = 0; at < 8; at += 1) {
      let end = at;
      while (end < 8 && plain[end] === "0") end += 1;
      if (end - at > length) [start, length] = [at, end - at];
    }
    if (start < 0) return plain.join(":");
    return `${plain.slice(0, start).join(":")}::${plain.slice(start + length).join(":")}`;
  };
  const hostOf = (text, isSpecial) => {
    if (text.startsWith("[")) return text.endsWith("]") ? `[${ipv6(text.slice(1, -1))}]` : fail(text);
    if (!isSpecial) return /[\0\t\n\r #/:<>?@[\\\]^|]/.test(text) ? fail(text) : encode(text, "");
    const host = decode(text).toLowerCase();
    if (/[^\0-\x7f]/.test(host)) fail(`${host} is not ASCII: write it as xn--…`);
    if (host === "" || /[\0-\x20#%/:<>?@[\\\]^|\x7f]/.test(host)) fail(text);
    return ipv4(host);
  };
  const portOf = (text, protocol) => {
    if (!/^\d*$/.test(text) || Number(text) > 65_535) fail(`the port ${text}`);
    const port = text === "" ? "" : String(Number(text));
    return port === PORTS[protocol] ? "" : port;
  };
  const isSpecial = (url) => Object.hasOwn(PORTS, url.protocol);
  const pathOf = (text, url, before) => {
    const special = isSpecial(url);
    const path = [...before];
    const parts = text.split(special ? /[/\\]/ : "/");
    parts.forEach((part, index) => {
      const isLast = index === parts.length - 1;
      const plain = part.replace(/%2e/gi, ".");
      if (plain === "..") {
        if (!(url.protocol === "file:" && path.length === 1 && /^[a-z]:$/i.test(path[0]))) path.pop();
        if (isLast) path.push("");
      } else if (plain === ".") {
        if (isLast) path.push("");
      } else {
        let name = encode(part, PATH);
        if (url.protocol === "file:" && path.length === 0 && /^[a-z][:|]$/i.test(name)) name = `${name[0]}:`;
        path.push(name);
      }
    });
    return `/${path.join("/")}`;
  };
  const segments = (path) => path.slice(1).split("/").slice(0, -1);
  const setAuthority = (url, text) => {
    const at = text.lastIndexOf("@");
    if (at >= 0) {
      const user = text.slice(0, at);
      const colon = user.indexOf(":");
      url.username = encode(colon < 0 ? user : user.slice(0, colon), USER);
      url.password = colon < 0 ? "" : encode(user.slice(colon + 1), USER);
    }
    const [, host, port = ""] = /^(\[[^\]]*\]|[^:]*)(?::(.*))?$/s.exec(text.slice(at + 1)) ?? fail(text);
    if (host === "" && (at >= 0 || port !== "")) fail(text);
    if (port !== "" && url.protocol === "file:") fail(text);
    url.port = portOf(port, url.protocol);
    if (url.protocol === "file:" && (host === "" || host.toLowerCase() === "localhost")) url.host = "";
    else url.host = host === "" && !isSpecial(url) ? "" : hostOf(host, isSpecial(url));
  };
  // The parts of `input`; `base` has the parts of another one.
  const parse = (input, base) => {
    let rest = input.replace(/^[\0- ]+|[\0- ]+$/g, "").replace(/[\t\n\r]/g, "");
    const hashAt = rest.indexOf("#");
    const hash = hashAt < 0 ? undefined : rest.slice(hashAt + 1);
    if (hashAt >= 0) rest = rest.slice(0, hashAt);
    const url = { protocol: "", username: "", password: "", host: undefined, port: "", path: "", query: undefined, hash: undefined };
    if (hash !== undefined) url.hash = encode(hash, FRAGMENT);
    const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(rest);
    let isRelative = scheme === null;
    if (scheme) {
      url.protocol = scheme[0].toLowerCase();
      rest = rest.slice(scheme[0].length);
      if (isSpecial(url) && base?.protocol === url.protocol && !/^[/\\]{2}/.test(rest)) isRelative = true;
    } else if (base === undefined || (base.isOpaque && (rest !== "" || hash === undefined))) fail(input);
    if (isRelative) url.protocol = base.protocol;
    const special = isSpecial(url);
    const queryAt = rest.indexOf("?");
    if (queryAt >= 0) {
      url.query = encode(rest.slice(queryAt + 1), special ? `${QUERY}'` : QUERY);
      rest = rest.slice(0, queryAt);
    }
    const slashes = special ? /^[/\\]{2}/ : /^\/\//;
    const slash = special ? /[/\\]/ : /\//;
    const authority = (text) => {
      const end = text.search(slash);
      if (url.protocol === "file:" && /^[a-z][:|]$/i.test(text.slice(0, 2)) && (end === 2 || text.length === 2)) {
        url.host = "";
        url.path = pathOf(text, url, []);
        return;
      }
      setAuthority(url, end < 0 ? text : text.slice(0, end));
      if (end >= 0 || special) url.path = pathOf(end < 0 ? "" : text.slice(end + 1), url, []);
    };
    if (slashes.test(rest)) authority(rest.slice(2));
    else if (isRelative) {
      for (const key of ["username", "password", "host", "port", "path", "isOpaque"]) url[key] = base[key];
      if (rest === "") {
        if (queryAt < 0) url.query = base.query;
      } else if (slash.test(rest[0])) url.path = pathOf(rest.slice(1), url, []);
      else url.path = pathOf(rest, url, segments(base.path));
    } else if (url.protocol === "file:") {
      url.host = "";
      url.path = pathOf(rest.replace(/^[/\\]/, ""), url, []);
    } else if (special) authority(rest.replace(/^[/\\]*/, ""));
    else if (rest.startsWith("/")) url.path = pathOf(rest.slice(1), url, []);
    else {
      url.isOpaque = true;
      url.path = encode(rest, "");
    }
    return url;
  };
  const hrefOf = (url) => {
    let text = url.protocol;
    if (url.host !== undefined) {
      const password = url.password === "" ? "" : `:${url.password}`;
      const user = url.username + password;
      text += `//${user === "" ? "" : `${user}@`}${url.host}${url.port === "" ? "" : `:${url.port}`}`;
    } else if (!url.isOpaque && url.path.startsWith("//")) text += "/.";
    text += url.path;
    if (url.query !== undefined) text += `?${url.query}`;
    return url.hash === undefined ? text : `${text}#${url.hash}`;
  };

  const form = (text) =>
    encode(text, "!\"#$%&'()+,/:;<=>?@[\\]^`{|}~").replaceAll(" ", "+");
  const readForm = (text) =>
    text.split("&").filter((part) => part !== "").map((part) => {
      const at = part.indexOf("=");
      const pair = at < 0 ? [part, ""] : [part.slice(0, at), part.slice(at + 1)];
      return pair.map((it) => decode(it.replaceAll("+", " ")));
    });
  const updates = new WeakMap();
  class URLSearchParams {
    #pairs = [];
    constructor(init = "") {
      if (typeof init === "object" && init !== null) {
        const pairs = typeof init[Symbol.iterator] === "function" ? [...init] : Object.entries(init);
        this.#pairs = pairs.map((pair) => {
          const [key, value, ...rest] = pair;
          if (value === undefined || rest.length > 0) throw new TypeError("each pair has a name and a value");
          return [String(key).toWellFormed(), String(value).toWellFormed()];
        });
      } else this.#pairs = readForm(String(init).replace(/^\?/, ""));
    }
    static read(params, text) { params.#pairs = readForm(text); }
    #changed() { updates.get(this)?.(this.toString()); }
    append(name, value) { this.#pairs.push([String(name), String(value)]); this.#changed(); }
    delete(name, value) {
      this.#pairs = this.#pairs.filter(([key, it]) => key !== String(name) || (value !== undefined && it !== String(value)));
      this.#changed();
    }
    get(name) { return this.#pairs.find(([key]) => key === String(name))?.[1] ?? null; }
    getAll(name) { return this.#pairs.filter(([key]) => key === String(name)).map(([, value]) => value); }
    has(name, value) {
      return this.#pairs.some(([key, it]) => key === String(name) && (value === undefined || it === String(value)));
    }
    set(name, value) {
      const at = this.#pairs.findIndex(([key]) => key === String(name));
      if (at < 0) this.#pairs.push([String(name), String(value)]);
      else {
        this.#pairs[at][1] = String(value);
        this.#pairs = this.#pairs.filter(([key], index) => index <= at || key !== String(name));
      }
      this.#changed();
    }
    sort() { this.#pairs.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)); this.#changed(); }
    get size() { return this.#pairs.length; }
    forEach(call, self) { for (const [key, value] of this.#pairs) call.call(self, value, key, this); }
    *entries() { for (const [key, value] of this.#pairs) yield [key, value]; }
    *keys() { for (const [key] of this.#pairs) yield key; }
    *values() { for (const [, value] of this.#pairs) yield value; }
    [Symbol.iterator]() { return this.entries(); }
    toString() { return this.#pairs.map((pair) => pair.map(form).join("=")).join("&"); }
    toJSON() { return Object.fromEntries(this.#pairs); }
  }
  const readParams = URLSearchParams.read;
  delete URLSearchParams.read;

  class URL {
    #url;
    #params = new URLSearchParams();
    constructor(input, base) {
      this.#url = parse(String(input), base === undefined ? undefined : parse(String(base)));
      readParams(this.#params, this.#url.query ?? "");
      updates.set(this.#params, (text) => (this.#url.query = text === "" ? undefined : text));
    }
    static canParse(input, base) { return URL.parse(input, base) !== null; }
    static parse(input, base) {
      try {
        return new URL(input, base);
      } catch (error) {
        if (error instanceof Invalid) return null;
        throw error;
      }
    }
    // Changes the parts by `change`; what is not valid leaves them, as the standard has it.
    #change(change) {
      const url = { ...this.#url };
      try {
        change(url);
        this.#url = url;
      } catch (error) {
        if (!(error instanceof Invalid)) throw error;
      }
    }
    get #hasHost() { return this.#url.host !== undefined && this.#url.host !== "" && this.#url.protocol !== "file:"; }
    get href() { return hrefOf(this.#url); }
    set href(value) {
      this.#url = parse(String(value));
      readParams(this.#params, this.#url.query ?? "");
    }
    get origin() {
      return isSpecial(this.#url) && this.protocol !== "file:" ? `${this.protocol}//${this.host}` : "null";
    }
    get protocol() { return this.#url.protocol; }
    set protocol(value) {
      const scheme = /^[a-z][a-z0-9+.-]*(?=:|$)/i.exec(String(value));
      const protocol = scheme && `${scheme[0].toLowerCase()}:`;
      if (!scheme || Object.hasOwn(PORTS, protocol) !== isSpecial(this.#url)) return;
      if (protocol === "file:" || this.protocol === "file:") return;
      this.#change((url) => {
        url.protocol = protocol;
        url.port = portOf(url.port, protocol);
      });
    }
    get username() { return this.#url.username; }
    set username(value) { if (this.#hasHost) this.#url.username = encode(String(value), USER); }
    get password() { return this.#url.password; }
    set password(value) { if (this.#hasHost) this.#url.password = encode(String(value), USER); }
    get host() { return this.hostname + (this.port === "" ? "" : `:${this.port}`); }
    set host(value) {
      const [, host, , port] = /^(\[[^\]]*\]|[^:/?#\\]*)(:(\d*))?/.exec(String(value));
      this.hostname = host;
      if (port) this.port = port;
    }
    get hostname() { return this.#url.host ?? ""; }
    set hostname(value) {
      const [, host, rest] = /^(\[[^\]]*\]|[^:/?#\\]*)(.?)/s.exec(String(value));
      if (!this.#url.isOpaque && rest !== ":") this.#change((url) => (url.host = hostOf(host, isSpecial(url))));
    }
    get port() { return this.#url.port; }
    set port(value) {
      const digits = /^\d*/.exec(String(value))[0];
      if (!this.#hasHost || (digits === "" && String(value) !== "")) return;
      this.#change((url) => (url.port = portOf(digits, url.protocol)));
    }
    get pathname() { return this.#url.path; }
    set pathname(value) {
      if (!this.#url.isOpaque) this.#change((url) => (url.path = pathOf(String(value).replace(isSpecial(url) ? /^[/\\]/ : /^\//, ""), url, [])));
    }
    get search() { return this.#url.query ? `?${this.#url.query}` : ""; }
    set search(value) {
      const text = String(value).replace(/^\?/, "");
      this.#url.query = String(value) === "" ? undefined : encode(text, isSpecial(this.#url) ? `${QUERY}'` : QUERY);
      readParams(this.#params, text);
    }
    get searchParams() { return this.#params; }
    get hash() { return this.#url.hash ? `#${this.#url.hash}` : ""; }
    set hash(value) {
      const text = String(value).replace(/^#/, "");
      this.#url.hash = String(value) === "" ? undefined : encode(text, FRAGMENT);
    }
    toString() { return this.href; }
    toJSON() { return this.href; }
  }
  freezeAll(URL);
  freezeAll(URLSearchParams);
  return { URL, URLSearchParams };
}
