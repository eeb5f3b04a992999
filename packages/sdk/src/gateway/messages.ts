import type { ClientMessage } from "@backplane/contract/gateway";
import type { Proof } from "../proof.ts";

/** Who waits for what: the same for every connection of one flow. */
export type Registration = { state: string; provider: string; proof: Proof };

/** What the gateway can say about our state. */
export type GatewayNews =
  | { type: "registered" }
  | { type: "callback"; code: string; query: Record<string, string> }
  | {
      type: "error";
      code: string | undefined;
      error: string;
      description: string | undefined;
      query: Record<string, string>;
    };

/** The secret is shown only to come back: the first registration binds its challenge. */
export function registerMessage({ state, provider, proof }: Registration, comesBack: boolean): string {
  return encode({
    type: "register",
    state,
    provider,
    challenge: proof.challenge,
    ack: true,
    ...(comesBack ? { secret: proof.secret } : {}),
  });
}

export const unregisterMessage = (state: string): string => encode({ type: "unregister", state });

export const ackMessage = (state: string): string => encode({ type: "ack", state });

const encode = (message: ClientMessage): string => JSON.stringify(message);

/** What a message says about `state`; undefined for what is about another one, of an unknown type or not understood. */
export function readNews(text: string, state: string): GatewayNews | undefined {
  const message = parseObject(text);
  if (message === undefined) return undefined;
  // An error without a state answers what could not be read; this connection has no other state.
  const isOurs = message.state === state || (message.type === "error" && message.state === null);
  if (!isOurs) return undefined;
  if (message.type === "registered") return { type: "registered" };
  const query = textFields(message.query);
  if (message.type === "callback" && isText(message.code)) return { type: "callback", code: message.code, query };
  if (message.type === "error" && isText(message.error)) {
    const code = isText(message.code) ? message.code : undefined;
    const description = isText(message.error_description) ? message.error_description : undefined;
    return { type: "error", code, error: message.error, description, query };
  }
  return undefined;
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

const isText = (value: unknown): value is string => typeof value === "string" && value !== "";

function textFields(value: unknown): Record<string, string> {
  if (typeof value !== "object" || value === null) return {};
  return Object.fromEntries(Object.entries(value).filter(([, field]) => typeof field === "string"));
}
