import { hash, randomBytes } from "node:crypto";
import { OPENID_LIMITS } from "@backplane/contract/accounts";
import type { Claims } from "@backplane/kit/bus";
import type { FastifyRequest } from "fastify";

/** The account to link, and the browser session that asked for it. */
export type Linking = { userId: string; sessionId: string };

/** What is remembered while a person is at the provider. */
export type Flow = {
  nonce: string;
  /** For PKCE. */
  verifier: string;
  returnTo: string;
  link: Linking | null;
};

export type BegunFlow = Flow & {
  state: string;
  /** For the browser's cookie. */
  browser: string;
};

export type Flows = {
  begin(returnTo: string, link: Linking | null): Promise<BegunFlow>;
  /** The flow that began with this state in this browser. It can be taken only once. */
  take(state: string, browser: string): Promise<Flow | undefined>;
};

const newValue = () => randomBytes(32).toString("base64url");

export function createFlows(claims: Claims, random: () => string = newValue): Flows {
  return {
    async begin(returnTo, link) {
      const flow: Flow = { nonce: random(), verifier: random(), returnTo, link };
      const [state, browser] = [random(), random()];
      await claims.claim(keyOf(state, browser), JSON.stringify(flow), OPENID_LIMITS.flowLifeMs);
      return { ...flow, state, browser };
    },
    async take(state, browser) {
      const flow = await claims.take(keyOf(state, browser));
      return flow === undefined ? undefined : (JSON.parse(flow) as Flow);
    },
  };
}

/** Both are part of the key: another browser that knows the state can neither use nor disturb the flow. */
const keyOf = (state: string, browser: string): string => `openid-flow:${hash("sha256", `${state} ${browser}`, "hex")}`;

const NAME = "openid_flow";
const VALUE = "([A-Za-z0-9_-]{43})";

/**
 * Proves that an answer came back to the browser that began the flow. Lax, since the browser comes from the provider's
 * page. Over https only this host can set it (`__Host-`): a site in a frame, on a subdomain, could otherwise plant a cookie
 * that makes the answer for its own account look like the visitor's. Else it is limited to the path of these routes.
 */
export function flowCookies(baseUrl: string) {
  const { protocol, pathname } = new URL(baseUrl);
  const overHttps = protocol === "https:";
  const name = overHttps ? `__Host-${NAME}` : NAME;
  const path = overHttps ? "/" : `${pathname.replace(/\/$/, "")}/auth/openid`;
  const attributes = `Path=${path}; HttpOnly; SameSite=Lax${overHttps ? "; Secure" : ""}`;
  const inHeader = new RegExp(`(?:^|;) *${name}=${VALUE}(?=;| *$)`);
  return {
    set: (value: string): string => `${name}=${value}; Max-Age=${OPENID_LIMITS.flowLifeMs / 1_000}; ${attributes}`,
    ended: `${name}=; Max-Age=0; ${attributes}`,
    read: (cookies: string | undefined): string | undefined => inHeader.exec(cookies ?? "")?.[1],
  };
}

/** The host of a request, with its port unless it is the default; as `URL.host` writes it. */
export function hostOf({ protocol, host }: Pick<FastifyRequest, "protocol" | "host">): string {
  const url = `${protocol}://${host}`;
  return URL.canParse(url) ? new URL(url).host : "";
}
