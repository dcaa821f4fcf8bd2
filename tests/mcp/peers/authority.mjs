// An MCP server that requires a login, and the authorization server that it names: oidc-provider,
// as npm has it. Every user is Ada, and agrees. Prints the URL of the server; keeps a
// line for each request to it in the file `asked`.
//
// node authority.mjs PLACE SECONDS: where npm has installed it, and how long a token is valid.

import { appendFileSync } from "node:fs";
import { createServer } from "node:http";

const [place, seconds] = process.argv.slice(2);
// It says which runtimes it supports.
console.warn = console.info = () => {};
const { default: Provider, errors } = await import(`${place}/node_modules/oidc-provider/lib/index.js`);
const META = "io.modelcontextprotocol/";
const LIST = { ttlMs: 0, cacheScope: "private", resultType: "complete" };
const RIGHTS = { whoami: "tools:read", change: "tools:write" };

const listen = (server) =>
  new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(`http://127.0.0.1:${server.address().port}`)));

const authority = createServer();
const issuer = await listen(authority);
const server = createServer();
const base = await listen(server);
const url = `${base}/mcp`;

const provider = new Provider(issuer, {
  scopes: ["offline_access", "tools:read", "tools:write"],
  pkce: { required: () => true },
  rotateRefreshToken: true,
  ttl: { AccessToken: Number(seconds), RefreshToken: 3600, Grant: 3600, Session: 3600, Interaction: 600 },
  findAccount: (_, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
  interactions: { url: (_, interaction) => `/interaction/${interaction.uid}` },
  features: {
    devInteractions: { enabled: false },
    registration: { enabled: true },
    revocation: { enabled: true },
    resourceIndicators: {
      enabled: true,
      defaultResource: () => undefined,
      useGrantedResource: () => false,
      getResourceServerInfo: (_, indicator) => {
        if (indicator !== url) throw new errors.InvalidTarget();
        const scope = "tools:read tools:write";
        return { scope, audience: url, accessTokenTTL: Number(seconds), accessTokenFormat: "opaque" };
      },
    },
  },
});
const callback = provider.callback();

async function interact(request, response) {
  const { prompt, params, session } = await provider.interactionDetails(request, response);
  if (prompt.name === "login") {
    return provider.interactionFinished(request, response, { login: { accountId: "ada" } });
  }
  const grant = new provider.Grant({ accountId: session.accountId, clientId: params.client_id });
  const { missingOIDCScope = [], missingResourceScopes = {} } = prompt.details;
  grant.addOIDCScope(["offline_access", ...missingOIDCScope].join(" "));
  for (const [indicator, scopes] of Object.entries(missingResourceScopes)) {
    grant.addResourceScope(indicator, scopes.join(" "));
  }
  const consent = { grantId: await grant.save() };
  return provider.interactionFinished(request, response, { consent }, { mergeWithLastSubmission: true });
}

authority.on("request", (request, response) =>
  request.url.startsWith("/interaction/") ? interact(request, response) : callback(request, response),
);

function result({ method, params }) {
  const tool = (name) => ({ name, description: "d", inputSchema: { type: "object" } });
  switch (method) {
    case "server/discover":
      return { ...LIST, supportedVersions: ["2026-07-28"], capabilities: { tools: {} } };
    case "tools/list":
      return { ...LIST, tools: Object.keys(RIGHTS).map(tool) };
    case "tools/call":
      return { content: [{ type: "text", text: `${params.name} for Ada` }], resultType: "complete" };
  }
}

async function answer(request, response, body) {
  const send = (status, headers, text) => response.writeHead(status, headers).end(text);
  const json = { "Content-Type": "application/json" };
  const metadata = `${base}/.well-known/oauth-protected-resource/mcp`;
  if (request.method === "GET") {
    const document = { resource: url, authorization_servers: [issuer], scopes_supported: ["tools:read"] };
    const is_there = metadata === base + request.url;
    return is_there ? send(200, json, JSON.stringify(document)) : send(404, {}, "");
  }
  const message = JSON.parse(body);
  const sent = request.headers.authorization?.replace("Bearer ", "");
  const token = sent && (await provider.AccessToken.find(sent));
  const is_known = token?.aud === url && !token.isExpired;
  const scopes = is_known ? token.scope.split(" ") : [];
  const name = message.params?.name ?? "";
  appendFileSync("asked", `${request.url} ${message.method} ${name} ${sent ? scopes.join(",") || "unknown" : "-"}\n`);
  if (!is_known) {
    return send(401, { "WWW-Authenticate": `Bearer resource_metadata="${metadata}"` }, "");
  }
  const right = RIGHTS[name];
  if (right && !scopes.includes(right)) {
    return send(403, { "WWW-Authenticate": `Bearer error="insufficient_scope", scope="${right}"` }, "");
  }
  return send(200, json, JSON.stringify({ jsonrpc: "2.0", id: message.id, result: result(message) }));
}

server.on("request", (request, response) => {
  let body = "";
  request.on("data", (data) => (body += data));
  request.on("end", () => answer(request, response, body));
});
console.log(url);
