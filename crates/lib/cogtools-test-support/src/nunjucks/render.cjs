// Renders cases with the real Nunjucks: reads an array of cases from standard input,
// and writes the results and the names that Nunjucks defines to standard output.
"use strict";

const nunjucks = require("nunjucks");

/** Templates that a case brings with it. */
class Templates extends nunjucks.Loader {
  constructor(sources) {
    super();
    this.sources = sources;
  }

  getSource(path) {
    const known = Object.hasOwn(this.sources, path);
    return known ? { src: this.sources[path], path, noCache: true } : null;
  }
}

const environments = new Map();

/** The environment with those templates; cases with the same ones share it. */
function environment(sources, autoescape) {
  const key = JSON.stringify([sources, autoescape]);
  if (!environments.has(key)) {
    const made = new nunjucks.Environment(new Templates(sources), { autoescape });
    environments.set(key, made);
  }
  return environments.get(key);
}

/**
 * What comes of a case. Nunjucks reports some failures later than it returns, and
 * halves of surrogate pairs have no place in JSON.
 */
function render({ template, context, autoescape, templates }) {
  return new Promise((resolve) => {
    const settle = (error, text) =>
      resolve(error ? { error: error.message } : { text: text.toWellFormed() });
    try {
      const env = environment(templates ?? {}, autoescape ?? false);
      env.renderString(template, context ?? {}, settle);
    } catch (error) {
      settle(error);
    }
  });
}

async function main() {
  const results = [];
  for (const one of JSON.parse(require("node:fs").readFileSync(0, "utf8"))) {
    results.push(await render(one));
  }
  const { filters, tests, globals } = environment({}, false);
  const [filter, test, global] = [filters, tests, globals].map(Object.keys);
  console.log(JSON.stringify({ results, names: { filter, test, global } }));
}

main();
