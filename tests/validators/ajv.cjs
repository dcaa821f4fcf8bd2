// Validates values against schemas with Ajv: an array of schemas with their values on
// standard input, whether each value is valid on standard output.
"use strict";

const Ajv = require("ajv-draft-04").default;
const formats = require("ajv-formats").default;

// A parameter may have the name of a property that every JavaScript object has.
const options = { strict: false, logger: false, ownProperties: true };

const cases = JSON.parse(require("node:fs").readFileSync(0, "utf8"));
const verdicts = cases.map(({ schema, instances }) => {
  const accepts = formats(new Ajv(options)).compile(schema);
  return instances.map((value) => accepts(value));
});
console.log(JSON.stringify(verdicts));
