import type { ClientMessage } from "@backplane/contract/gateway";
import type { Proof } from "../proof.ts";
import { isObject, parseJson } from "../text.ts";

/** The same for every connection of one flow. */
export type Registration = { state: string; provider: string; proof: Proof };

/** What the gateway can say about our state. */
export type GatewayMessage =
  | { type: "registered" }
  | { type: "callback"; code: string; query: Record<string, string> }
  | {
      type: "error";
      code: string | undefined;
      error: string;
      description: string | undefined;
      query: Record<string, string>;
    };

/** The first registration has the challenge; only later ones show the secret. */
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

/** The message, if it is about `state`; undefined if it is about another state, of an unknown type or malformed. */
export function readGatewayMessage(text: string, state: string): GatewayMessage | undefined {
  const message = parseJson(text);
  if (!isObject(message)) return undefined;
  // An error without a state answers a message that could not be read; this connection has no other state.
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

const isText = (value: unknown): value is string => typeof value === "string" && value !== "";

function textFields(value: unknown): Record<string, string> {
  if (!isObject(value)) return {};
  return Object.fromEntries(
    Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === "string"),
  );
}
