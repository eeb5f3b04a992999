import { hash, randomBytes } from "node:crypto";
import { OPENID_LIMITS } from "@backplane/contract/accounts";
import type { Claims } from "@backplane/kit/bus";

/** The signed-in browser that asked for its account to be linked. */
export type Linking = { userId: string; sessionId: string };

/** What is remembered while a person is at the provider. */
export type Flow = {
  nonce: string;
  /** Of PKCE. */
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
  /** What was begun with this state in this browser; once. */
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

/** By both at once: with a state alone, another browser can neither use nor spoil what was begun. */
const keyOf = (state: string, browser: string): string => `openid-flow:${hash("sha256", `${state} ${browser}`, "hex")}`;
