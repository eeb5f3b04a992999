import type { CallbackQuery } from "@backplane/contract/gateway";
import type { Connection } from "@backplane/kit/websocket";
import type { Verdict } from "./registration-status.ts";

/** What a connection keeps for its registrations. */
export type Holdings = {
  /** Unique in this process. */
  readonly id: number;
  readonly held: Registration[];
  /** Since when nothing is registered. */
  emptySinceMs: number;
};

export type Owner = Pick<Connection<Holdings>, "data" | "send">;

export type Registration = {
  readonly state: string;
  /** Unique in this process. */
  readonly serial: number;
  /** The hash of the state. */
  readonly key: string;
  readonly provider: string;
  readonly challenge: string | undefined;
  /** The owner promised to confirm that it has the callback. */
  readonly wantsAck: boolean;
  readonly expiresAtMs: number;
  readonly owner: Owner;
  /** Claiming: the other instances do not know of it yet. Delivering: sent, not yet confirmed. */
  phase: "claiming" | "waiting" | "delivering";
  confirmation?: Confirmation | undefined;
};

/** Resolves when the owner confirms, is lost, or stays silent for too long. */
export type Confirmation = PromiseWithResolvers<"confirmed" | "lost" | "silent">;

export type RegisterRequest = {
  readonly state: string;
  readonly provider: string;
  readonly challenge?: string | undefined;
  readonly secret?: string | undefined;
  readonly ack?: boolean | undefined;
};

/** `gone`: the connection closed, or unregistered the state, before it was registered: nobody is left to tell. */
export type RegisterOutcome =
  | "registered"
  | "gone"
  | "too-many-registrations"
  | "bus-unavailable"
  | Exclude<Verdict, "free" | "own">;

/** What the provider answered. */
export type ProviderAnswer = { readonly query: CallbackQuery } & (
  | { readonly code: string }
  | { readonly error: string; readonly description: string | undefined }
);

export type Delivery =
  /** `unconfirmed`: it is on the owner's socket, but the promised confirmation did not come. */
  | { readonly outcome: "delivered" | "unconfirmed" | "wrong-provider"; readonly provider: string }
  /** `unavailable`: it may wait at another instance, which cannot be asked now. */
  | { readonly outcome: "unknown" | "used" | "expired" | "unavailable" };

export type Ending = "used" | "expired" | "lost" | "unregistered" | "taken-over" | "refused";

/**
 * States and the connections that wait with them. The laws hold for one instance and for many;
 * `registrations.suite.ts` checks them.
 * - Of any number of registrations of one state, by different connections, exactly one stands.
 * - Of any number of deliveries for one state exactly one reaches the owner; the others are told that it is used.
 * - A state that ended in use is not registered by another connection again, one with a challenge only with its secret.
 */
export type Registrations = {
  register(owner: Owner, request: RegisterRequest): RegisterOutcome | Promise<RegisterOutcome>;
  /** False when this connection has not registered it. */
  unregister(owner: Owner, state: string): boolean;
  /** The owner has the callback. */
  confirm(owner: Owner, state: string): boolean;
  /** The connection has closed: all its registrations end. */
  leave(owner: Owner): void;
  /** `provider`: the label in the callback's path, if it has one. */
  deliver(state: string, provider: string | undefined, answer: ProviderAnswer): Delivery | Promise<Delivery>;
  /** Ends what has expired by the clock. */
  sweep(): void;
  /** Whether any callback is with its owner and not yet confirmed. */
  isDelivering(): boolean;
  counts(): { pending: number; delivered: number; expired: number };
};
