// A server with all fixtures that the official conformance suite asks servers of the revision
// 2025-11-25 for, on the TypeScript SDK.
//
// node fixtures.mjs PLACE [http]: the directory that the SDK is installed in; over the standard
// streams, or over HTTP on a free port, whose URL is printed.
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { join } from "node:path";

const [place, transport] = process.argv.slice(2);
const sdk = join(place, "node_modules/@modelcontextprotocol/sdk/dist/esm");
const { Server } = await import(join(sdk, "server/index.js"));
const types = await import(join(sdk, "types.js"));

const encoded = (text) => Buffer.from(text).toString("base64");
const PNG = encoded("a picture");
const WAV = encoded("a sound");
const image = { type: "image", data: PNG, mimeType: "image/png" };
const text = (text) => ({ type: "text", text });
const embedded = (uri, mimeType, text) => ({ type: "resource", resource: { uri, mimeType, text } });
const content = (...content) => ({ content });
const pause = (ms) => new Promise((done) => setTimeout(done, ms));

// Asks the user with these fields, and answers with what the user has done.
const form = (fields) => async (_, { server, message }) => {
  const params = { mode: "form", message: message ?? "Review the fields", requestedSchema: fields };
  const answer = await server.elicitInput(params);
  return content(text(`action=${answer.action}, content=${JSON.stringify(answer.content ?? {})}`));
};
const fields = (properties, required = []) => ({ type: "object", properties, required });
const options = (kind, ...names) => names.map((name, at) => ({ const: `value${at + 1}`, title: `${name} ${kind}` }));
const three = ["option1", "option2", "option3"];
const strings = (names) => ({
  type: "object",
  properties: Object.fromEntries(names.map((name) => [name, { type: "string", description: name }])),
  required: names,
});

// The name of each tool, with its parameters and what it does.
const TOOLS = {
  test_simple_text: [[], () => content(text("This is a simple text response for testing."))],
  test_image_content: [[], () => content(image)],
  test_audio_content: [[], () => content({ type: "audio", data: WAV, mimeType: "audio/wav" })],
  test_embedded_resource: [
    [],
    () => content(embedded("test://embedded-resource", "text/plain", "This is an embedded resource content.")),
  ],
  test_multiple_content_types: [
    [],
    () =>
      content(
        text("Multiple content types test:"),
        image,
        embedded("test://mixed-content-resource", "application/json", '{"test":"data","value":123}'),
      ),
  ],
  test_tool_with_logging: [
    [],
    async (_, { notify }) => {
      for (const data of ["Tool execution started", "Tool processing data", "Tool execution completed"]) {
        await notify("notifications/message", { level: "info", data });
        await pause(50);
      }
      return content(text("Logged"));
    },
  ],
  test_tool_with_progress: [
    [],
    async (_, { notify, token }) => {
      for (const progress of token === undefined ? [] : [0, 50, 100]) {
        await notify("notifications/progress", { progressToken: token, progress, total: 100 });
        await pause(50);
      }
      return content(text("Done"));
    },
  ],
  test_error_handling: [
    [],
    () => ({ ...content(text("This tool intentionally returns an error for testing")), isError: true }),
  ],
  test_reconnection: [
    [],
    async (_, { close }) => {
      close?.();
      await pause(100);
      return content(text("Reconnected"));
    },
  ],
  test_sampling: [
    ["prompt"],
    async ({ prompt }, { server }) => {
      const messages = [{ role: "user", content: text(prompt) }];
      const answer = await server.createMessage({ messages, maxTokens: 100 });
      return content(text(`LLM response: ${answer.content.text}`));
    },
  ],
  test_elicitation: [
    ["message"],
    ({ message }, extra) =>
      form(fields({ response: { type: "string", description: "The answer" } }, ["response"]))({}, { ...extra, message }),
  ],
  test_elicitation_sep1034_defaults: [
    [],
    form(
      fields({
        name: { type: "string", default: "John Doe" },
        age: { type: "integer", default: 30 },
        score: { type: "number", default: 95.5 },
        status: { type: "string", enum: ["active", "inactive", "pending"], default: "active" },
        verified: { type: "boolean", default: true },
      }),
    ),
  ],
  test_elicitation_sep1330_enums: [
    [],
    form(
      fields({
        untitledSingle: { type: "string", enum: three },
        titledSingle: { type: "string", oneOf: options("Option", "First", "Second", "Third") },
        legacyEnum: { type: "string", enum: ["opt1", "opt2"], enumNames: ["Option One", "Option Two"] },
        untitledMulti: { type: "array", minItems: 1, maxItems: 3, items: { type: "string", enum: three } },
        titledMulti: {
          type: "array",
          minItems: 1,
          maxItems: 3,
          items: { anyOf: options("Choice", "First", "Second", "Third") },
        },
      }),
    ),
  ],
  json_schema_2020_12_tool: [[], (args) => content(text(JSON.stringify(args)))],
};
const SCHEMA_2020_12 = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object",
  $defs: { address: { type: "object", properties: { street: { type: "string" }, city: { type: "string" } } } },
  properties: { name: { type: "string" }, address: { $ref: "#/$defs/address" } },
  additionalProperties: false,
};

const RESOURCES = {
  "test://static-text": { mimeType: "text/plain", text: "This is the content of the static text resource." },
  "test://static-binary": { mimeType: "image/png", blob: PNG },
  "test://watched-resource": { mimeType: "text/plain", text: "Watched" },
};
const TEMPLATE = /^test:\/\/template\/([^/]+)\/data$/;

// The name of each prompt, with its arguments and the contents of its messages.
const PROMPTS = {
  test_simple_prompt: [[], () => [text("This is a simple prompt for testing.")]],
  test_prompt_with_arguments: [
    ["arg1", "arg2"],
    ({ arg1, arg2 }) => [text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)],
  ],
  test_prompt_with_embedded_resource: [
    ["resourceUri"],
    ({ resourceUri }) => [
      embedded(resourceUri, "text/plain", "Embedded resource content for testing."),
      text("Please process the embedded resource above."),
    ],
  ],
  test_prompt_with_image: [[], () => [image, text("Please analyze the image above.")]],
};

function fixtures() {
  const watched = new Set();
  const server = new Server(
    { name: "fixtures", version: "1" },
    {
      capabilities: {
        tools: { listChanged: true },
        resources: { subscribe: true, listChanged: true },
        prompts: { listChanged: true },
        logging: {},
        completions: {},
      },
      instructions: "Fixtures of the suite.",
    },
  );
  const on = (schema, handle) => server.setRequestHandler(types[`${schema}RequestSchema`], handle);
  on("ListTools", () => ({
    tools: Object.entries(TOOLS).map(([name, [names]]) => ({
      name,
      description: `Tests ${name}`,
      inputSchema: name === "json_schema_2020_12_tool" ? SCHEMA_2020_12 : strings(names),
    })),
  }));
  on("CallTool", ({ params }, extra) => {
    const tool = TOOLS[params.name];
    if (!tool) throw new types.McpError(types.ErrorCode.InvalidParams, `no tool ${params.name}`);
    const notify = (method, params) => extra.sendNotification({ method, params });
    // A question belongs to the call, so it goes over the stream of the call.
    const ask = (method, params, schema) => extra.sendRequest({ method, params }, schema);
    const asking = {
      elicitInput: (params) => ask("elicitation/create", params, types.ElicitResultSchema),
      createMessage: (params) => ask("sampling/createMessage", params, types.CreateMessageResultSchema),
    };
    const token = extra._meta?.progressToken;
    return tool[1](params.arguments ?? {}, { server: asking, notify, token, close: extra.closeSSEStream });
  });
  on("ListResources", () => ({
    resources: Object.entries(RESOURCES).map(([uri, { mimeType }]) => ({ uri, name: uri, mimeType })),
  }));
  on("ListResourceTemplates", () => ({
    resourceTemplates: [{ uriTemplate: "test://template/{id}/data", name: "template", mimeType: "application/json" }],
  }));
  on("ReadResource", ({ params: { uri } }) => {
    const id = TEMPLATE.exec(uri)?.[1];
    const data = JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` });
    const found = id === undefined ? RESOURCES[uri] : { mimeType: "application/json", text: data };
    if (!found) throw new types.McpError(-32002, "no such resource", { uri });
    return { contents: [{ uri, ...found }] };
  });
  on("Subscribe", async ({ params: { uri } }) => {
    watched.add(uri);
    setTimeout(() => watched.has(uri) && server.sendResourceUpdated({ uri }).catch(() => {}), 100);
    return {};
  });
  on("Unsubscribe", ({ params: { uri } }) => {
    watched.delete(uri);
    return {};
  });
  on("ListPrompts", () => ({
    prompts: Object.entries(PROMPTS).map(([name, [names]]) => ({
      name,
      description: `Tests ${name}`,
      arguments: names.map((name) => ({ name, description: name, required: true })),
    })),
  }));
  on("GetPrompt", ({ params }) => {
    const prompt = PROMPTS[params.name];
    if (!prompt) throw new types.McpError(types.ErrorCode.InvalidParams, `no prompt ${params.name}`);
    const contents = prompt[1](params.arguments ?? {});
    return { messages: contents.map((content) => ({ role: "user", content })) };
  });
  on("SetLevel", () => ({}));
  on("Complete", ({ params }) => {
    const values = ["paris", "park", "party"].filter((value) => value.startsWith(params.argument.value));
    return { completion: { values, total: values.length, hasMore: false } };
  });
  return server;
}

async function overHttp() {
  const { StreamableHTTPServerTransport } = await import(join(sdk, "server/streamableHttp.js"));
  const sessions = new Map();
  const store = () => {
    const events = [];
    return {
      async storeEvent(stream, message) {
        events.push({ id: `${stream}/${events.length}`, stream, message });
        return events.at(-1).id;
      },
      async replayEventsAfter(last, { send }) {
        const after = events.findIndex(({ id }) => id === last);
        const { stream } = events[after];
        for (const event of events.slice(after + 1)) {
          if (event.stream === stream && event.message.jsonrpc) await send(event.id, event.message);
        }
        return stream;
      },
    };
  };
  const open = async () => {
    const session = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      eventStore: store(),
      retryInterval: 500,
      enableDnsRebindingProtection: true,
      allowedHosts: [`127.0.0.1:${port}`, `localhost:${port}`],
      allowedOrigins: [`http://127.0.0.1:${port}`, `http://localhost:${port}`],
      onsessioninitialized: (id) => void sessions.set(id, session),
    });
    session.onclose = () => sessions.delete(session.sessionId);
    await fixtures().connect(session);
    return session;
  };
  let port;
  const http = createServer(async (request, response) => {
    const id = request.headers["mcp-session-id"];
    if (id && !sessions.has(id)) return response.writeHead(404).end();
    const session = sessions.get(id) ?? (await open());
    await session.handleRequest(request, response);
  });
  http.listen(0, "127.0.0.1", () => {
    ({ port } = http.address());
    console.log(`http://127.0.0.1:${port}/mcp`);
  });
}

if (transport === "http") {
  await overHttp();
} else {
  const { StdioServerTransport } = await import(join(sdk, "server/stdio.js"));
  await fixtures().connect(new StdioServerTransport());
}
