// One tool over streamable HTTP, as the documentation of the SDK has it: a server for
// each request, or with `sessions` one for each client. It prints its address.
import { randomUUID } from "node:crypto";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import express from "express";
import { z } from "zod";

const withSessions = process.argv[2] === "sessions";
const sessions = new Map();
const app = express();
app.use(express.json());

function newServer() {
  const server = new McpServer({ name: "greet", version: "1" });
  const config = { description: "Greet a person", inputSchema: { person: z.string() } };
  server.registerTool("greet", config, async ({ person }) => ({
    content: [{ type: "text", text: `Good day, ${person}!` }],
  }));
  return server;
}

app.post("/mcp", async (request, response) => {
  const known = sessions.get(request.headers["mcp-session-id"]);
  if (known) {
    await known.handleRequest(request, response, request.body);
    return;
  }
  const server = newServer();
  const transport = new StreamableHTTPServerTransport({
    enableJsonResponse: true,
    sessionIdGenerator: withSessions ? () => randomUUID() : undefined,
    onsessioninitialized: (id) => sessions.set(id, transport),
  });
  if (!withSessions) {
    response.on("close", () => server.close());
  }
  await server.connect(transport);
  await transport.handleRequest(request, response, request.body);
});

const listener = app.listen(0, "127.0.0.1", () => {
  console.log(`http://127.0.0.1:${listener.address().port}/mcp`);
});
