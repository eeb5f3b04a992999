// A service that connects its user to a provider: a page, the auth route, the status route, and one that uses the token.
import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { userInfo } from "node:os";
import { OAuthError } from "@backplane/sdk";
import { openTokenStore, readCredentials } from "@backplane/sdk/tokens";
import { createConnection, messageFor } from "./connection.ts";

export type ServiceOptions = {
  /** Your own name for the provider: part of the auth route, and shown to people. */
  provider: string;
  /** JSON with clientId, clientSecret, authUrl and tokenUrl; other fields as the provider needs them. */
  credentialsFile: string;
  accountUrl: string;
  gatewayUrl: string;
  /** Default `~/.backplane/tokens`. */
  tokenFolder?: string | undefined;
};

const HEADERS = {
  "content-security-policy":
    "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src data:",
  "cache-control": "no-store",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
};

export async function createService(options: ServiceOptions): Promise<Server> {
  const { provider, accountUrl, gatewayUrl, tokenFolder } = options;
  const { authUrl, tokenUrl, ...rest } = await readCredentials(options.credentialsFile);
  if (authUrl === undefined || tokenUrl === undefined) {
    throw new Error(`${options.credentialsFile} also needs authUrl and tokenUrl. README.md has an example.`);
  }
  const connection = createConnection({
    provider,
    // One user: the account that runs this. With several, use the one who is signed in here, never a name from the request.
    user: userInfo().username,
    credentials: { ...rest, authUrl, tokenUrl },
    accountUrl,
    gatewayUrl,
    store: openTokenStore({ folder: tokenFolder }),
  });
  const authRoute = `/auth/${encodeURIComponent(provider)}`;
  const page = readPage("index.html").replaceAll("{{auth}}", authRoute).replaceAll("{{provider}}", escaped(provider));
  const files = new Map([
    ["/", { type: "text/html", body: page }],
    ["/page.css", { type: "text/css", body: readPage("page.css") }],
    ["/page.js", { type: "text/javascript", body: readPage("page.js") }],
  ]);

  const server = createServer(async (request, response) => {
    const path = (request.url ?? "/").split("?")[0] ?? "/";
    const sendJson = (status: number, body: object) =>
      response.writeHead(status, { ...HEADERS, "content-type": "application/json" }).end(JSON.stringify(body));
    try {
      const file = files.get(path);
      if (request.method !== "GET") sendJson(405, { problem: "Only GET is supported." });
      else if (path === authRoute)
        response.writeHead(302, { ...HEADERS, location: (await connection.start()) ?? "/" }).end();
      else if (path === "/status") sendJson(200, await connection.status());
      else if (path === "/account") sendJson(200, { account: await connection.account() });
      else if (file === undefined) sendJson(404, { problem: "There is nothing at this address." });
      else response.writeHead(200, { ...HEADERS, "content-type": `${file.type}; charset=utf-8` }).end(file.body);
    } catch (error) {
      const isNotConnected = error instanceof OAuthError && error.code === "not-connected";
      sendJson(isNotConnected ? 409 : 502, { problem: messageFor(error) });
    }
  });
  return server.once("close", () => connection.close());
}

const readPage = (name: string): string => readFileSync(new URL(`page/${name}`, import.meta.url), "utf8");

const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
