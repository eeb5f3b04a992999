import { generateKeyPairSync, randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestContext } from "node:test";
import Provider, { type ClientAuthMethod, type JWK } from "oidc-provider";
import { keepIn } from "../../../../scripts/services/oidc-memory.ts";

/** One for all tests of a file: it is slow to generate. */
const KEY = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey.export({ format: "jwk" }) as JWK;

export type Person = { preferred_username?: string; name?: string; email?: string; email_verified?: boolean };

type Options = { redirectUri: string; clientAuth?: ClientAuthMethod; people: Record<string, Person> };

/** A certified OpenID provider whose pages answer automatically: with a person, or with Cancel. */
export async function startProvider(t: TestContext, { redirectUri, clientAuth, people }: Options) {
  const atKeyboard = { subject: Object.keys(people)[0] ?? "", cancels: false };
  const method = clientAuth ?? "client_secret_basic";
  const client = {
    clientId: `backplane ${randomUUID()}`,
    clientSecret: method === "none" ? undefined : `not-a-secret/${randomUUID()}+%`,
  };
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const issuer = `http://localhost:${port}`;
  const provider = new Provider(issuer, {
    adapter: keepIn(new Map()),
    clients: [
      {
        client_id: client.clientId,
        ...(client.clientSecret === undefined ? {} : { client_secret: client.clientSecret }),
        token_endpoint_auth_method: method,
        redirect_uris: [redirectUri],
        grant_types: ["authorization_code"],
      },
    ],
    clientAuthMethods: [method],
    jwks: { keys: [KEY] },
    cookies: { keys: [randomUUID()] },
    claims: { profile: ["name", "preferred_username"], email: ["email", "email_verified"] },
    findAccount: (_context, sub) => ({ accountId: sub, claims: () => ({ sub, ...people[sub] }) }),
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    pkce: { required: () => true },
    ttl: { AccessToken: 600, AuthorizationCode: 600, Grant: 600, IdToken: 600, Interaction: 600, Session: 600 },
  });
  const handle = provider.callback();
  const listen = (request: IncomingMessage, response: ServerResponse) => {
    if (request.url?.startsWith("/interaction/")) void answer(provider, atKeyboard, request, response);
    else void handle(request, response);
  };
  server.on("request", listen);
  const up = { server };
  t.after(() => end(up.server));
  return {
    ...client,
    issuer,
    atKeyboard,
    /** As when its machine is off. */
    stop: () => end(up.server),
    async restart() {
      up.server = createServer(listen).listen(port, "127.0.0.1");
      await once(up.server, "listening");
    },
  };
}

async function end(server: Server): Promise<void> {
  if (!server.listening) return;
  server.closeAllConnections();
  server.close();
  await once(server, "close");
}

async function answer(
  provider: Provider,
  { subject, cancels }: { subject: string; cancels: boolean },
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { prompt, params, session } = await provider.interactionDetails(request, response);
  if (cancels) return provider.interactionFinished(request, response, { error: "access_denied" });
  if (prompt.name === "login") {
    return provider.interactionFinished(request, response, { login: { accountId: subject } });
  }
  const grant = new provider.Grant({ accountId: session?.accountId ?? "", clientId: String(params.client_id) });
  grant.addOIDCScope(String(params.scope));
  const consent = { grantId: await grant.save() };
  return provider.interactionFinished(request, response, { consent }, { mergeWithLastSubmission: true });
}
