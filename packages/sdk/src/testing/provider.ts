import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import Provider from "oidc-provider";

export const APP = { clientId: "client-1", clientSecret: "secret-1" };

export type TestProvider = AsyncDisposable & { issuer: string; authUrl: string; tokenUrl: string; userinfoUrl: string };

/** A certified OpenID provider on a port of its own, with PKCE required and refresh tokens that rotate. */
export async function startProvider(redirectUri: string): Promise<TestProvider> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const issuer = `http://localhost:${(server.address() as AddressInfo).port}`;
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: APP.clientId,
        client_secret: APP.clientSecret,
        redirect_uris: [redirectUri],
        grant_types: ["authorization_code", "refresh_token"],
        token_endpoint_auth_method: "client_secret_post",
      },
    ],
    cookies: { keys: ["one for the tests"] },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    findAccount: (_context, accountId) => ({ accountId, claims: () => ({ sub: accountId }) }),
    issueRefreshToken: () => true,
    rotateRefreshToken: true,
    pkce: { required: () => true },
  });
  const handle = provider.callback();
  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    if (request.url?.startsWith("/interaction/")) void interact(provider, request, response);
    else void handle(request, response);
  });
  return {
    issuer,
    authUrl: `${issuer}/auth`,
    tokenUrl: `${issuer}/token`,
    userinfoUrl: `${issuer}/me`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** Asks the user, who is always Ada, with two buttons. */
async function interact(provider: Provider, request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.method === "GET") {
    const button = (word: string) =>
      `<form method="post" action="${request.url}/${word.toLowerCase()}"><button>${word}</button></form>`;
    response.setHeader("content-type", "text/html; charset=utf-8");
    response.end(
      `<!doctype html><title>Provider</title><link rel="icon" href="data:,">${button("Allow")}${button("Deny")}`,
    );
    return;
  }
  if (request.url?.endsWith("/deny")) {
    const error_description = "The account is not on the list of test users";
    await provider.interactionFinished(request, response, { error: "access_denied", error_description });
    return;
  }
  const grant = new provider.Grant({ accountId: "ada", clientId: APP.clientId });
  grant.addOIDCScope("openid offline_access");
  const result = { login: { accountId: "ada" }, consent: { grantId: await grant.save() } };
  await provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false });
}
