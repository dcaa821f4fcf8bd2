// Declares all tools, written in Node with the package yaml only.
import { readFileSync, readdirSync } from 'node:fs';
import { parse } from 'yaml';

const files = readdirSync('tools').filter((file) => file.endsWith('.yaml')).sort();
const declarations = files.map((file) => {
  const tool = parse(readFileSync(`tools/${file}`, 'utf8'));
  const required = [];
  const properties = {};
  for (const [name, { optional, ...schema }] of Object.entries(tool.parameters)) {
    properties[name] = schema;
    if (!optional) required.push(name);
  }
  const parameters = { type: 'object', properties, required };
  const { name, description } = tool;
  return { name, description, parameters, parametersJsonSchema: parameters };
});
process.stdout.write(JSON.stringify(declarations));
