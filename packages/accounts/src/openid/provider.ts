import { OPENID_LIMITS, type OpenidFault } from "@backplane/contract/accounts";
import { readBytes } from "@backplane/kit/bounded-body";
import type { Clock } from "@backplane/kit/clock";
import { isLoopback, type OpenidSettings } from "@backplane/kit/settings";
import type { ClientAuth, Configuration, CustomFetchOptions, IDToken } from "openid-client";
import type { BegunFlow, Flow } from "./flows.ts";

const SCOPE = "openid profile email";

/** A person at a provider. A subject is only unique per issuer. */
export type Identity = { issuer: string; subject: string };

/** What the provider says about a person. Only its origin is verified. */
export type PersonClaims = Readonly<Record<string, unknown>>;

export type Redeemed = { identity: Identity; describePerson(): Promise<PersonClaims> };

export type OpenidProvider = {
  /** Where the browser goes to sign in. */
  address(flow: BegunFlow): Promise<string>;
  /** Exchanges what the browser brought back. Throws the errors of the library: see `faultOf`. */
  redeem(search: string, state: string, flow: Flow): Promise<Redeemed>;
};

export type ProviderOptions = {
  openid: OpenidSettings;
  redirectUri: string;
  fetch: typeof globalThis.fetch;
  now: Clock;
};

type Known = { configuration: Promise<Configuration>; untilMs: number };

export function createOpenidProvider({ openid, redirectUri, fetch, now }: ProviderOptions): OpenidProvider {
  let known: Known | undefined;

  /** Fetched when first needed, once for all who wait. A failure is not remembered. */
  async function discover(): Promise<Configuration> {
    const nowMs = now();
    if (!known || known.untilMs <= nowMs) {
      known = { configuration: ask(), untilMs: nowMs + OPENID_LIMITS.discoveryLifeMs };
    }
    const asked = known;
    try {
      return await asked.configuration;
    } catch (error) {
      if (known === asked) known = undefined;
      throw error;
    }
  }

  async function ask(): Promise<Configuration> {
    const client = await import("openid-client");
    const issuer = new URL(openid.issuer);
    const isLocal = issuer.protocol === "http:" && isLoopback(issuer.hostname.replace(/^\[|\]$/g, ""));
    return client.discovery(issuer, openid.clientId, undefined, authentication(client, openid.clientSecret), {
      [client.customFetch]: fetchBounded,
      timeout: OPENID_LIMITS.providerTimeoutS,
      // The library trusts the connection to the token endpoint; the signature is checked as well.
      execute: [client.enableNonRepudiationChecks, ...(isLocal ? [client.allowInsecureRequests] : [])],
    });
  }

  async function fetchBounded(url: string, { body, ...rest }: CustomFetchOptions): Promise<Response> {
    const { status, headers, body: answered } = await fetch(url, { ...rest, body: body ?? null } as RequestInit);
    const bytes = await readBytes(answered, OPENID_LIMITS.maxAnswerBytes);
    if (bytes === undefined) throw new Error(`the answer is larger than ${OPENID_LIMITS.maxAnswerBytes} bytes`);
    return new Response(bytes.byteLength === 0 ? null : bytes, { status, headers });
  }

  return {
    async address({ state, nonce, verifier }) {
      const [client, configuration] = [await import("openid-client"), await discover()];
      const parameters = {
        redirect_uri: redirectUri,
        scope: SCOPE,
        state,
        nonce,
        code_challenge: await client.calculatePKCECodeChallenge(verifier),
        code_challenge_method: "S256",
      };
      return client.buildAuthorizationUrl(configuration, parameters).href;
    },
    async redeem(search, state, { nonce, verifier }) {
      const [client, configuration] = [await import("openid-client"), await discover()];
      const tokens = await client.authorizationCodeGrant(configuration, new URL(`${redirectUri}${search}`), {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: verifier,
      });
      const claims = tokens.claims();
      if (!claims) throw new Error("no ID token");
      refuseClaims(claims, openid.clientId);
      return {
        identity: { issuer: claims.iss, subject: claims.sub },
        async describePerson() {
          if (configuration.serverMetadata().userinfo_endpoint === undefined) return claims;
          return { ...claims, ...(await client.fetchUserInfo(configuration, tokens.access_token, claims.sub)) };
        },
      };
    },
  };
}

/** OpenID Connect Core, §2. */
const SUBJECT = /^[\x20-\x7e]{1,255}$/;

/** What the library leaves to us. The log gets the code. */
function refuseClaims({ sub, azp }: IDToken, clientId: string): void {
  if (!SUBJECT.test(sub))
    throw new WrongClaim("subject-invalid", "The provider's subject is not 1 to 255 printable ASCII characters.");
  if (azp !== undefined && azp !== clientId)
    throw new WrongClaim("other-client", "The provider's ID token was given to another client.");
}

class WrongClaim extends Error {
  override name = "WrongClaim";
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** OpenID Connect Core, §9: a provider accepts client_secret_basic unless it says otherwise. */
function authentication(client: typeof import("openid-client"), secret: string | undefined): ClientAuth {
  if (secret === undefined) return client.None();
  const [basic, post] = [client.ClientSecretBasic(secret), client.ClientSecretPost(secret)];
  return (server, ...rest) => {
    const taken = server.token_endpoint_auth_methods_supported;
    const isBasic = taken === undefined || taken.includes("client_secret_basic");
    return (isBasic ? basic : post)(server, ...rest);
  };
}

/** What the person sees. That they declined is not a failure of the provider. */
export function faultOf(error: unknown): OpenidFault {
  return fieldOf(error, "name") === "AuthorizationResponseError" && fieldOf(error, "error") === "access_denied"
    ? "openid-declined"
    : "openid-failed";
}

/** What the log gets: only codes, since messages and causes may quote what was sent. */
export function reasonOf(error: unknown): string {
  const codes = [fieldOf(error, "code"), fieldOf(error, "error")].filter((code) => /^[\w-]{1,60}$/.test(code));
  return codes.join(" ") || fieldOf(error, "name") || "unknown";
}

function fieldOf(error: unknown, name: string): string {
  const value = (error as Record<string, unknown> | null)?.[name];
  return typeof value === "string" ? value : "";
}
