// A service that connects its user to a provider: a page, an auth route, a status route, and a call that uses the token.
import { createServer, type Server } from "node:http";
import { exchangeCode, OAuthError, startOAuthFlow } from "@backplane/sdk";
import { createTokenSource, openTokenStore, readCredentials } from "@backplane/sdk/tokens";

export type ServiceOptions = {
  /** A JSON file with clientId and clientSecret. */
  credentialsFile: string;
  provider: { label: string; authUrl: string; tokenUrl: string; issuer: string; userinfoUrl: string };
  gatewayUrl: string;
  tokenFolder: string;
};

export async function createService(options: ServiceOptions): Promise<Server> {
  const { provider, gatewayUrl } = options;
  const { authUrl, tokenUrl, issuer } = provider;
  const client = await readCredentials(options.credentialsFile);
  const store = openTokenStore({ folder: options.tokenFolder });
  // One user is enough for an example; a real service takes the one who is signed in.
  const tokens = createTokenSource({ ...client, store, provider: provider.label, user: "ada", tokenUrl });
  let problem = "";

  /** Where to send the user. The code is exchanged when it arrives, long after this has returned. */
  async function connect(): Promise<string> {
    problem = "";
    const flow = await startOAuthFlow({
      provider: provider.label,
      authUrl,
      clientId: client.clientId,
      scopes: "openid offline_access",
      extraParams: { prompt: "consent" },
      issuer,
      gatewayUrl,
    });
    flow
      .waitForCode()
      .then((answer) => exchangeCode({ ...client, ...answer, tokenUrl }))
      .then(tokens.save)
      .catch((error: unknown) => {
        problem = error instanceof OAuthError ? error.message : "Something went wrong. Try again.";
      });
    return flow.authRedirectUrl;
  }

  async function whoAmI(): Promise<unknown> {
    const headers = { authorization: `Bearer ${await tokens.accessToken()}` };
    return (await fetch(provider.userinfoUrl, { headers })).json();
  }

  return createServer(async (request, response) => {
    const sendJson = (body: unknown) =>
      response.setHeader("content-type", "application/json").end(JSON.stringify(body));
    try {
      if (request.url === "/auth") response.writeHead(302, { location: await connect() }).end();
      else if (request.url === "/status") sendJson({ ...(await tokens.status()), problem });
      else if (request.url === "/me") sendJson(await whoAmI());
      else response.setHeader("content-type", "text/html; charset=utf-8").end(PAGE);
    } catch (error) {
      response.statusCode = error instanceof OAuthError && error.code === "not-connected" ? 409 : 502;
      sendJson({ problem: error instanceof OAuthError ? error.message : "Something went wrong." });
    }
  });
}

const STATUS_POLL_MS = 2_000;

const PAGE = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Example service</title><link rel="icon" href="data:,">
<h1 id="state">Not connected</h1><p id="problem"></p><p><a href="/auth" target="_blank">Connect</a></p>
<script>
  const poll = async () => {
    const { configured, problem } = await (await fetch("/status")).json();
    document.getElementById("state").textContent = configured ? "Connected" : "Not connected";
    document.getElementById("problem").textContent = problem;
    if (!configured) setTimeout(poll, ${STATUS_POLL_MS});
  };
  poll();
</script></html>`;
