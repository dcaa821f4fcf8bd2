// Calls a tool, written in Node with the usual packages.
import { readFileSync } from 'node:fs';
import Ajv from 'ajv';
import nunjucks from 'nunjucks';
import { parse } from 'yaml';

const tool = parse(readFileSync(`tools/${process.argv[2]}.yaml`, 'utf8'));
const args = JSON.parse(readFileSync(0, 'utf8'));
const required = [];
const properties = {};
for (const [name, { optional, ...schema }] of Object.entries(tool.parameters)) {
  properties[name] = schema;
  if (!optional) required.push(name);
}
const schema = { type: 'object', properties, required, additionalProperties: false };
const validate = new Ajv({ allErrors: true }).compile(schema);
if (!validate(args)) {
  console.error(validate.errors);
  process.exit(65);
}
process.stdout.write(nunjucks.renderString(tool.implementation, args));
