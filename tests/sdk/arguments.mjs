// Prints a list of names and arguments for the declarations on standard input: the arguments fit
// the schemas, and are the same in each run.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const require = createRequire(`${process.argv[2]}/node_modules/`);
const { JSONSchemaFaker: faker } = require("json-schema-faker");

let seed = 7;
const random = () => (seed = (seed * 16807) % 2147483647) / 2147483647;
faker.option({
  alwaysFakeOptionals: true,
  failOnInvalidFormat: false,
  fillProperties: false,
  maxItems: 2,
  random,
  useDefaultValue: true,
  useExamplesValue: true,
});

const MAX = 1e9;

/**
 * Keeps numbers exact, which they are in JavaScript up to 2^53, and names a file that is there. The
 * generator would take an alternative that no object fits.
 */
function fitting(key, value) {
  if (value?.oneOf && value.properties && value.additionalProperties === false) {
    const fits = ({ required = [] }) => required.every((name) => name in value.properties);
    value.oneOf = value.oneOf.filter(fits);
  }
  if (key === "minimum" || key === "maximum") return Math.max(-MAX, Math.min(MAX, value));
  return value?.description === "A file of the project" ? { const: "text" } : value;
}

const declarations = JSON.parse(readFileSync(0, "utf8"), fitting);
const calls = declarations.map(({ name, inputSchema }) => [name, faker.generate(inputSchema)]);
console.log(JSON.stringify(calls));
