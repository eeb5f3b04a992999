import { exchangeCode, OAuthError, type OAuthFlow, startOAuthFlow } from "@backplane/sdk";
import { type Credentials, createTokenSource, type TokenStore } from "@backplane/sdk/tokens";

export type ConnectionOptions = {
  provider: string;
  /** Whose tokens these are. */
  user: string;
  credentials: Credentials & { authUrl: string; tokenUrl: string };
  /** The provider's address that says whose account it is. */
  accountUrl: string;
  gatewayUrl: string;
  store: TokenStore;
};

export type Status = {
  configured: boolean;
  /** The user is at the provider. */
  waiting: boolean;
  /** Why the last attempt failed, for the user. */
  problem?: string;
};

const ACCOUNT_TIMEOUT_MS = 10_000;

/** One user's connection to one provider. */
export function createConnection(options: ConnectionOptions) {
  const { provider, user, credentials, gatewayUrl, store } = options;
  const { authUrl, clientId, issuer, extraParams, scopes = "" } = credentials;
  const tokens = createTokenSource({ ...credentials, store, provider, user });
  let current: OAuthFlow | undefined;
  let problem: string | undefined;

  /** Runs after the user was sent to the provider, until the tokens are stored or the attempt has failed. */
  async function finish(flow: OAuthFlow): Promise<void> {
    try {
      const answer = await flow.waitForCode();
      await tokens.save(await exchangeCode({ ...credentials, ...answer }));
      problem = undefined;
    } catch (error) {
      // The failure of a flow that was replaced does not matter.
      if (current === flow) problem = messageFor(error);
    } finally {
      if (current === flow) current = undefined;
    }
  }

  return {
    /** Where to send the user; undefined if that failed, with `problem` set. Only the latest attempt counts. */
    async start(): Promise<string | undefined> {
      try {
        const flow = await startOAuthFlow({ provider, authUrl, clientId, scopes, extraParams, issuer, gatewayUrl });
        current?.close();
        current = flow;
        problem = undefined;
        void finish(flow);
        return flow.authRedirectUrl;
      } catch (error) {
        problem = messageFor(error);
        return undefined;
      }
    },
    async status(): Promise<Status> {
      const { configured } = await tokens.status();
      return { configured, waiting: current !== undefined, ...(problem === undefined ? {} : { problem }) };
    },
    /** Whose account it is. The token is refreshed first if it is about to expire. */
    async account(): Promise<string> {
      const response = await fetch(options.accountUrl, {
        headers: { authorization: `Bearer ${await tokens.accessToken()}`, accept: "application/json" },
        signal: AbortSignal.timeout(ACCOUNT_TIMEOUT_MS),
      });
      if (!response.ok) throw new Error(`${provider} answered ${response.status} when asked whose account it is.`);
      const { name, login, email, sub } = (await response.json()) as Record<string, unknown>;
      return String(name ?? login ?? email ?? sub);
    },
    close: () => current?.close(),
  };
}

/** The message of an OAuthError is for people: for access_denied it explains the test-user list. */
export function messageFor(error: unknown): string {
  if (error instanceof OAuthError) return error.message;
  console.error(error);
  return "The service failed; its log says why. Then connect again.";
}
