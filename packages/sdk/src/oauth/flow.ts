import { MAX_PROVIDER_LENGTH } from "@backplane/contract/gateway";
import { gatewayAddresses } from "../addresses.ts";
import { checkTimeoutMs, invalidOption, OAuthError } from "../errors.ts";
import { LIMITS } from "../gateway/limits.ts";
import { findSocket } from "../gateway/socket.ts";
import { createProof } from "../proof.ts";
import { authorizationUrl } from "./authorization-url.ts";
import { type OAuthFlowEvent, waitForAnswer } from "./wait.ts";

export type OAuthFlowOptions = {
  /** Your own name for the provider, 1 to 100 characters. People see it on the callback page. */
  provider: string;
  /** The provider's authorization URL. */
  authUrl: string;
  clientId: string;
  /** Separated by spaces. */
  scopes: string;
  /** Extra query parameters for the provider, such as `prompt` or `access_type`. */
  extraParams?: Readonly<Record<string, string>> | undefined;
  /** Default `http://localhost:8795`. `{gatewayUrl}/callback` is the redirect URI to register with the provider. */
  gatewayUrl?: string | undefined;
  /** Default: `gatewayUrl` with ws for http, and `/ws`. */
  gatewayWsUrl?: string | undefined;
  /** The provider's issuer: an answer that names another one is refused (RFC 9207). */
  issuer?: string | undefined;
  /** The provider always names its issuer: an answer without one is refused too. */
  requireIss?: boolean | undefined;
  signal?: AbortSignal | undefined;
  /** From registration to code. Default 10 minutes, after which the gateway forgets a registration anyway. */
  timeoutMs?: number | undefined;
  /** How long to wait until the gateway has accepted the registration. Default 5 s. */
  connectTimeoutMs?: number | undefined;
  /** Called with each step, for a log or a spinner. What it throws is ignored. */
  onState?: ((event: OAuthFlowEvent) => void) | undefined;
};

export type OAuthCode = {
  code: string;
  state: string;
  /** All parameters of the callback. */
  query: Record<string, string>;
  /** The issuer, when the provider named itself. */
  iss?: string;
  /** Must be repeated, exactly like this, when the code is exchanged. */
  redirectUri: string;
  codeVerifier: string;
};

export type OAuthFlow = {
  /** Send the user here, with a 302 or a link. */
  authRedirectUrl: string;
  redirectUri: string;
  /** The code, once the user has consented; every call returns the same promise. Rejects with OAuthError. */
  waitForCode(): Promise<OAuthCode>;
  /** Stops waiting; `waitForCode` then rejects with `aborted`, unless the code has already arrived. */
  close(): void;
};

/** Registers with the gateway for an authorization code. Resolves when the user can be sent to the provider. */
export async function startOAuthFlow(options: OAuthFlowOptions): Promise<OAuthFlow> {
  checkOptions(options);
  const { provider, authUrl, clientId, scopes, extraParams = {}, signal, issuer, requireIss, onState } = options;
  const { redirectUri, wsUrl } = gatewayAddresses(options);
  const [pkce, proof] = await Promise.all([createProof(OAuthError), createProof(OAuthError)]);
  const state = crypto.randomUUID();
  const codeVerifier = pkce.secret;
  const authRedirectUrl = authorizationUrl({
    authUrl,
    clientId,
    scopes,
    redirectUri,
    state,
    codeChallenge: pkce.challenge,
    extraParams,
  });

  const wait = waitForAnswer({
    url: wsUrl,
    openSocket: await findSocket(),
    registration: { state, provider, proof },
    random: Math.random,
    expected: { issuer, requireIss },
    connectTimeoutMs: options.connectTimeoutMs ?? LIMITS.connectMs,
    timeoutMs: options.timeoutMs ?? LIMITS.flowMs,
    signal,
    onState,
  });
  const code = wait.answer.then((answer): OAuthCode => ({ ...answer, state, redirectUri, codeVerifier }));
  code.catch(() => {});
  await wait.registered;
  return { authRedirectUrl, redirectUri, waitForCode: () => code, close: wait.close };
}

function checkOptions(options: OAuthFlowOptions): void {
  const refuse = (field: string, fault: string) => invalidOption(OAuthError, field, fault);
  for (const field of ["provider", "clientId"] as const) {
    if (typeof options[field] !== "string" || options[field] === "") throw refuse(field, "is missing");
  }
  if (typeof options.scopes !== "string") throw refuse("scopes", "is not a string; separate scopes by spaces");
  if (options.provider.length > MAX_PROVIDER_LENGTH) {
    throw refuse("provider", `is longer than ${MAX_PROVIDER_LENGTH} characters`);
  }
  for (const field of ["timeoutMs", "connectTimeoutMs"] as const) checkTimeoutMs(OAuthError, field, options[field]);
  if (options.requireIss === true && options.issuer === undefined) {
    throw refuse("issuer", "is missing, and requireIss needs it");
  }
}
