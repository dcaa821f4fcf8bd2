// Two clients of one server over HTTP, on the TypeScript SDK 1.x: one watches a resource, and both
// have a model. Prints what each hears.
//
// node two.mjs PLACE URL: the directory that the SDK is installed in, and the server's URL.
import { join } from "node:path";

const [place, url] = process.argv.slice(2);
const sdk = join(place, "node_modules/@modelcontextprotocol/sdk/dist/esm");
const { Client } = await import(join(sdk, "client/index.js"));
const { StreamableHTTPClientTransport } = await import(join(sdk, "client/streamableHttp.js"));
const types = await import(join(sdk, "types.js"));

const heard = [];

async function connect(name) {
  const client = new Client({ name, version: "1" }, { capabilities: { sampling: {} } });
  client.setNotificationHandler(types.ResourceUpdatedNotificationSchema, ({ params }) =>
    heard.push(`${name} hears of ${params.uri}`),
  );
  client.setRequestHandler(types.CreateMessageRequestSchema, () => ({
    role: "assistant",
    model: name,
    content: { type: "text", text: "Well." },
  }));
  const transport = new StreamableHTTPClientTransport(new URL(url));
  await client.connect(transport);
  return { client, transport };
}

const text = ({ content }) => content[0].text;
const clients = [await connect("one"), await connect("two")];
const [one] = clients;
await one.client.subscribeResource({ uri: "mem://shared" });
for (const { client } of clients) {
  console.log(JSON.parse(text(await client.callTool({ name: "a_sample" }))).model);
  console.log(text(await client.callTool({ name: "a_touch" })));
  await new Promise((done) => setTimeout(done, 300));
  console.log(heard.splice(0));
}
for (const { client, transport } of clients) {
  await transport.terminateSession();
  await client.close();
}
