// A server on the official TypeScript SDK, over standard streams.
//
// node plain.mjs PLACE: where the SDK is installed

import { join } from "node:path";

const sdk = join(process.argv[2], "node_modules/@modelcontextprotocol/sdk/dist/esm/server");
const { McpServer } = await import(join(sdk, "mcp.js"));
const { StdioServerTransport } = await import(join(sdk, "stdio.js"));
const { z } = await import(join(process.argv[2], "node_modules/zod/index.js"));

const server = new McpServer({ name: "plain", version: "1.0.0" });
const schema = { a: z.number(), b: z.number().optional() };
server.registerTool("add", { description: "Adds", inputSchema: schema }, async ({ a, b = 2 }) => {
  if (a < 0) throw new Error("a is negative");
  return { content: [{ type: "text", text: String(a + b) }] };
});
await server.connect(new StdioServerTransport());
