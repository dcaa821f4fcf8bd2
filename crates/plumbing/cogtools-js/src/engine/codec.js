// TextEncoder, TextDecoder, atob, btoa and crypto: what needs bytes.
(given) => {
  "use strict";
  const { ArrayBuffer, Error, Object, RangeError, String, TypeError, Uint8Array } = given;
  const { decodeText, digest, encodeText, freezeAll, randomBytes } = given;
  const bytesOf = (data) => {
    if (typeof data === "string") return encodeText(data.toWellFormed());
    if (data instanceof ArrayBuffer) return new Uint8Array(data);
    if (ArrayBuffer.isView(data)) return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
    throw new TypeError("expected a text, an ArrayBuffer or a typed array");
  };
  class TextEncoder {
    get encoding() { return "utf-8"; }
    encode(text = "") { return encodeText(String(text).toWellFormed()); }
  }
  class TextDecoder {
    #options;
    constructor(label = "utf-8", options = {}) {
      if (!/^\s*utf-?8\s*$/i.test(label)) throw new RangeError(`only utf-8 is there, not ${String(label)}`);
      this.#options = { fatal: !!options.fatal, ignoreBOM: !!options.ignoreBOM };
    }
    get encoding() { return "utf-8"; }
    get fatal() { return this.#options.fatal; }
    get ignoreBOM() { return this.#options.ignoreBOM; }
    decode(data = "", options = {}) {
      if (options.stream) throw new TypeError("there are no streams: decode the whole text at once");
      const text = decodeText(bytesOf(data), this.fatal);
      if (text === undefined) throw new TypeError("the data is not UTF-8");
      return !this.ignoreBOM && text.startsWith("\uFEFF") ? text.slice(1) : text;
    }
  }
  const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const btoa = (data) => {
    const text = String(data);
    if (/[^\0-\xff]/.test(text)) {
      throw new RangeError("btoa takes characters up to U+00FF: encode others with TextEncoder");
    }
    let out = "";
    for (let at = 0; at < text.length; at += 3) {
      const [a, b, c] = [0, 1, 2].map((offset) => text.charCodeAt(at + offset));
      const bits = (a << 16) | (b << 8) | c;
      out += DIGITS[bits >> 18] + DIGITS[(bits >> 12) & 63];
      out += (b !== b ? "=" : DIGITS[(bits >> 6) & 63]) + (c !== c ? "=" : DIGITS[bits & 63]);
    }
    return out;
  };
  const atob = (data) => {
    let text = String(data).replace(/[\t\n\f\r ]/g, "");
    if (text.length % 4 === 0) text = text.replace(/==?$/, "");
    if (text.length % 4 === 1 || /[^A-Za-z0-9+/]/.test(text)) throw new RangeError("the text is not base64");
    let out = "";
    let bits = 0;
    for (let at = 0; at < text.length; at += 1) {
      bits = ((bits << 6) | DIGITS.indexOf(text[at])) & 0xffffff;
      if (at % 4 !== 0) out += String.fromCharCode((bits >> (6 - (at % 4) * 2)) & 255);
    }
    return out;
  };
  const digestSync = (algorithm, data) => {
    const name = String(typeof algorithm === "object" && algorithm ? algorithm.name : algorithm).toUpperCase();
    const found = digest(name, bytesOf(data));
    if (found === undefined) throw new RangeError(`only SHA-256, SHA-384 and SHA-512 are there, not ${name}`);
    return found.buffer;
  };
  const refuse = () => {
    throw new TypeError("nothing here is asynchronous: use crypto.subtle.digestSync, which returns the hash at once");
  };
  const crypto = {
    getRandomValues(array) {
      bytesOf(array).set(randomBytes(array.byteLength));
      return array;
    },
    randomUUID() {
      const bytes = randomBytes(16);
      bytes[6] = (bytes[6] & 15) | 64;
      bytes[8] = (bytes[8] & 63) | 128;
      const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
      return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
    },
    subtle: { digest: refuse, digestSync },
  };
  for (const it of [TextEncoder, TextDecoder, atob, btoa, crypto.subtle, ...Object.values(crypto), crypto]) freezeAll(it);
  return { TextEncoder, TextDecoder, atob, btoa, crypto };
}
