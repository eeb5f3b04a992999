import type { JsonValue } from "./message.ts";

/** Ends a subscription. Idempotent, and works in any state of the bus. */
export type Unsubscribe = () => Promise<void>;

export type MessageHandler = (message: JsonValue) => unknown;

/** Returns the reply, or a promise of it. `undefined` counts as `null`. */
export type RequestHandler = (message: JsonValue) => unknown;

/** How a request ended. None of these is exceptional: the caller decides what each means. */
export type Reply =
  | { readonly ok: true; readonly value: JsonValue }
  | { readonly ok: false; readonly reason: "no-responder" | "timeout" | "responder-failed" | "unavailable" };

export type BusState = "up" | "degraded";

/**
 * Messages and claims between all instances that share a server, or within one process. The laws hold on every engine;
 * `bus.suite.ts` checks them.
 *
 * Messages
 * - A message is a JSON value. Each handler gets its own copy and may change it.
 * - Messages of one publisher on one channel arrive in the order they were published.
 * - A handler gets every message published after its `subscribe` resolved, for as long as the bus is up. Messages
 *   published while it is degraded may be missed, so code that keeps state reads it again when the bus is up.
 * - A subscription outlives an outage. Subscribing while the bus is degraded is accepted and takes effect when it is up.
 * - Once `unsubscribe` was called, its handler is not called again.
 * - A handler that throws or rejects affects neither other handlers nor the publisher; the error goes to `onFault`.
 *
 * Requests
 * - Every responder of the channel gets the request. The first answer counts, whether a value or a failure.
 * - With no responder anywhere the request ends at once ("no-responder"); without an answer in time, with "timeout".
 * - When a responder throws, the requester gets "responder-failed" and nothing else: the error stays where it happened
 *   (`onFault`), since its text may contain secrets.
 *
 * Life
 * - While the server is away every operation but subscribing fails at once with `BusFault` "unavailable" (a request:
 *   with that reason), and the bus keeps trying to reconnect.
 * - `onStateChange` listeners are called once per change, after `state()` has changed; "up" means that every
 *   subscription works again.
 * - After `close` every operation rejects with `BusFault` "closed", no handler is called and nothing keeps the process
 *   alive. Closing again is harmless.
 */
export interface Bus {
  readonly engine: "in-process" | "redis";
  readonly claims: Claims;
  publish(channel: string, message: JsonValue): Promise<void>;
  subscribe(channel: string, handler: MessageHandler): Promise<Unsubscribe>;
  request(channel: string, message: JsonValue, options: { timeoutMs: number }): Promise<Reply>;
  respond(channel: string, handler: RequestHandler): Promise<Unsubscribe>;
  state(): BusState;
  /** Returns the function that removes the listener. */
  onStateChange(listener: (state: BusState) => void): () => void;
  /** Resolves when the engine answers. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Keys that one holder has at a time.
 * - Of any number of concurrent claims of one key exactly one wins. A key that is claimed cannot be claimed again, not
 *   even with the same value.
 * - Of any number of concurrent takes exactly one gets the value; the key is then free.
 * - `release` and `exchange` touch a claim only if it still has the given value: a holder that lost its claim cannot end
 *   or change the next one. Of concurrent exchanges from one value exactly one succeeds.
 * - A claim ends `ttlMs` after it was made or last exchanged; after that it counts as never made.
 */
export interface Claims {
  claim(key: string, value: string, ttlMs: number): Promise<boolean>;
  take(key: string): Promise<string | undefined>;
  release(key: string, value: string): Promise<boolean>;
  /** Replaces one value by another, with a new ttl. With the same value it extends the claim. */
  exchange(key: string, from: string, to: string, ttlMs: number): Promise<boolean>;
  /** The value of the key, without taking it. */
  read(key: string): Promise<string | undefined>;
}
