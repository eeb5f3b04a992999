import { generateKeyPairSync, randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import Provider, { type AdapterPayload, type ClientAuthMethod, type JWK } from "oidc-provider";
import { keepIn } from "../../scripts/services/oidc-memory.ts";

type Account = { name: string; email: string; isTester: boolean };

/** The provider is in testing mode: only testers may connect. */
export const ACCOUNTS: Readonly<Record<"ada" | "grace", Account>> = {
  ada: { name: "Ada Lovelace", email: "ada@example.org", isTester: true },
  grace: { name: "Grace Hopper", email: "grace@example.org", isTester: false },
};
export const NOT_A_TESTER = "This account is not on the test-user list.";
export const CANCELLED = "The user pressed Cancel.";

/** The app's part of a credentials file. */
export type App = { clientId: string; clientSecret?: string; clientAuth?: "basic" };

export type TestProvider = AsyncDisposable & {
  issuer: string;
  authUrl: string;
  tokenUrl: string;
  userinfoUrl: string;
  /** Like a provider that checks its test-user list only at the token URL: always 403, access_denied. */
  blockedTokenUrl: string;
  /** Sends its secret in the form. */
  app: App;
  /** Sends its secret in the Authorization header. */
  basicApp: App;
  /** Has no secret. */
  publicApp: App;
  /** As if the user removed the app from their account. */
  revokeAll(): void;
};

/** A certified OpenID provider: PKCE required, rotating refresh tokens, `iss` in responses, our own pages. */
export async function startProvider(back: { gatewayUrl: string } | { redirectUri: string }): Promise<TestProvider> {
  const redirectUri = "redirectUri" in back ? back.redirectUri : `${back.gatewayUrl}/callback`;
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const issuer = `http://localhost:${(server.address() as AddressInfo).port}`;
  const app: App = { clientId: newId(), clientSecret: newSecret() };
  const basicApp: App = { clientId: newId(), clientSecret: newSecret(), clientAuth: "basic" };
  const publicApp: App = { clientId: newId() };
  const kept = new Map<string, AdapterPayload>();
  const provider = new Provider(issuer, {
    adapter: keepIn(kept),
    clients: [app, basicApp, publicApp].map(({ clientId, clientSecret, clientAuth }) => ({
      client_id: clientId,
      ...(clientSecret === undefined ? {} : { client_secret: clientSecret }),
      token_endpoint_auth_method: authMethod(clientSecret, clientAuth),
      redirect_uris: [redirectUri],
      grant_types: ["authorization_code", "refresh_token"],
    })),
    jwks: { keys: [generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey.export({ format: "jwk" }) as JWK] },
    cookies: { keys: [randomUUID()] },
    claims: { profile: ["name"], email: ["email"] },
    findAccount: (_context, sub) => ({ accountId: sub, claims: () => ({ sub, ...accountOf(sub) }) }),
    // The built-in pages load a font from another server.
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    pkce: { required: () => true },
    rotateRefreshToken: true,
    ttl: { AccessToken: 3_600, Grant: 3_600, IdToken: 3_600, Interaction: 600, RefreshToken: 3_600, Session: 3_600 },
  });
  const handle = provider.callback();
  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    const { pathname } = new URL(request.url ?? "/", issuer);
    if (pathname.startsWith("/interaction/")) void interact(provider, request, response);
    else if (pathname === "/blocked/token") refuse(response);
    else void handle(request, response);
  });
  return {
    issuer,
    authUrl: `${issuer}/auth`,
    tokenUrl: `${issuer}/token`,
    userinfoUrl: `${issuer}/me`,
    blockedTokenUrl: `${issuer}/blocked/token`,
    app,
    basicApp,
    publicApp,
    revokeAll: () => kept.clear(),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

function authMethod(secret: string | undefined, how: App["clientAuth"]): ClientAuthMethod {
  if (secret === undefined) return "none";
  return how === "basic" ? "client_secret_basic" : "client_secret_post";
}

const newId = () => `app-${randomUUID()}`;
const newSecret = () => `not-a-secret-${randomUUID()}`;

const accountOf = (id: string | undefined): Account | undefined => (ACCOUNTS as Record<string, Account>)[id ?? ""];

/** Asks who signs in, then whether the app may. Every button submits the page's one form. */
async function interact(provider: Provider, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { prompt, params, session, grantId } = await provider.interactionDetails(request, response);
  const asksWho = prompt.name === "login";
  if (request.method === "GET") {
    const accounts = Object.entries(ACCOUNTS).map(([id, { name }]) => [id, name] as const);
    const buttons = asksWho ? accounts : [["allow", "Allow"] as const];
    const heading = asksWho ? "Sign in" : `Allow the app to see who you are, ${accountOf(session?.accountId)?.name}?`;
    response.setHeader("content-type", "text/html; charset=utf-8").end(page(heading, buttons));
    return;
  }
  const answer = new URLSearchParams(await text(request)).get("answer") ?? "";
  const finish = (result: Parameters<Provider["interactionFinished"]>[2]) =>
    provider.interactionFinished(request, response, result, { mergeWithLastSubmission: !asksWho });
  if (answer === "cancel") return finish({ error: "access_denied", error_description: CANCELLED });
  if (asksWho) return finish({ login: { accountId: answer } });
  const { accountId } = session ?? {};
  if (accountId === undefined || accountOf(accountId)?.isTester !== true) {
    return finish({ error: "access_denied", error_description: NOT_A_TESTER });
  }
  const clientId = String(params.client_id);
  const grant = grantId === undefined ? undefined : await provider.Grant.find(grantId);
  const granted = grant ?? new provider.Grant({ accountId, clientId });
  granted.addOIDCScope(String(params.scope));
  return finish({ consent: { grantId: await granted.save() } });
}

const page = (heading: string, buttons: readonly (readonly [value: string, label: string])[]): string =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Provider</title><link rel="icon" href="data:,"><h1>${heading}</h1><form method="post">
${[...buttons, ["cancel", "Cancel"]].map(([value, label]) => `<button name="answer" value="${value}">${label}</button>`).join("\n")}
</form></html>`;

function refuse(response: ServerResponse): void {
  response.writeHead(403, { "content-type": "application/json" });
  response.end(JSON.stringify({ error: "access_denied", error_description: NOT_A_TESTER }));
}
