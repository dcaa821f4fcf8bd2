// A client built on one of the TypeScript SDKs: connects, asks for everything, and
// prints the responses as one JSON object.
//
// node client.mjs GENERATION PLACE SERVER FILE: the generation of the SDK, the
// directory it is installed in, the server's program, and a tool file to write.
import { copyFileSync } from "node:fs";
import { dirname, join } from "node:path";

const [generation, place, server, file] = process.argv.slice(2);
const scope = join(place, "node_modules/@modelcontextprotocol");
const [{ Client }, { StdioClientTransport }] = await Promise.all(
  generation === "1"
    ? [import(join(scope, "sdk/dist/esm/client/index.js")), import(join(scope, "sdk/dist/esm/client/stdio.js"))]
    : [import(join(scope, "client/dist/index.mjs")), import(join(scope, "client/dist/stdio.mjs"))],
);

let changed;
const change = new Promise((resolve) => (changed = resolve));
const onChanged = (error, tools) => changed(error ? String(error) : tools.map((tool) => tool.name));
const client = new Client(
  { name: "test", version: "1" },
  {
    listChanged: { tools: { onChanged } },
    ...(generation === "1" ? {} : { versionNegotiation: { mode: "auto" } }),
  },
);
await client.connect(new StdioClientTransport({ command: server, cwd: process.cwd() }));
const call = (name, args) =>
  client.callTool({ name, arguments: args }).then(
    ({ content, isError, structuredContent }) => ({ text: content[0].text, isError: isError ?? false, structured: structuredContent ?? null }),
    (error) => ({ code: error.code }),
  );
const said = {};
said.tools = (await client.listTools()).tools.map(({ name }) => name);
said.prompts = (await client.listPrompts()).prompts.map(({ name }) => name);
said.good = await call("greet", { person: "Ada" });
said.bad = await call("greet", { persom: "Ada" });
said.unknown = await call("great", {});
said.json = await call("sum", { a: 1, b: 2 });
said.prompt = (await client.getPrompt({ name: "greet", arguments: { person: "Ada" } })).messages[0].content.text;
copyFileSync(file, join(dirname(file), "tools", "later.yaml"));
said.changed = await change;
await client.close();
console.log(JSON.stringify(said));
process.exit(0);
