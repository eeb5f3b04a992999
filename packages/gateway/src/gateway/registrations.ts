import type { CallbackQuery } from "@backplane/contract/gateway";
import type { Connection } from "@backplane/kit/websocket";
import type { Verdict } from "./registration-status.ts";

/** What a connection stores about its registrations. */
export type Holdings = {
  /** Unique in this process. */
  readonly id: number;
  readonly held: Registration[];
  /** When its last registration ended. */
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
  /** The owner promised to confirm the callback. */
  readonly wantsAck: boolean;
  readonly expiresAtMs: number;
  readonly owner: Owner;
  /** Claiming: not yet confirmed by the bus. Delivering: sent, not yet confirmed by the owner. */
  phase: "claiming" | "waiting" | "delivering";
  confirmation?: Confirmation | undefined;
};

/** Resolves when the owner confirms, disconnects, or stays silent for too long. */
export type Confirmation = PromiseWithResolvers<"confirmed" | "lost" | "silent">;

export type RegisterRequest = {
  readonly state: string;
  readonly provider: string;
  readonly challenge?: string | undefined;
  readonly secret?: string | undefined;
  readonly ack?: boolean | undefined;
};

/** `gone`: the connection closed or unregistered the state in the meantime, so nobody waits for an answer. */
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
  /** `unconfirmed`: sent to the owner, which has not confirmed it as promised. */
  | { readonly outcome: "delivered" | "unconfirmed" | "wrong-provider"; readonly provider: string }
  /** `unavailable`: another instance may hold the state, and cannot be asked right now. */
  | { readonly outcome: "unknown" | "used" | "expired" | "unavailable" };

export type Ending = "used" | "expired" | "lost" | "unregistered" | "taken-over" | "refused";

/**
 * States and the connections that hold them. These rules hold for one instance and for many;
 * `registrations.suite.ts` checks them.
 * - When several connections register the same state, exactly one succeeds.
 * - When several callbacks arrive for the same state, exactly one reaches the owner; the others get `used`.
 * - No other connection can register a used state again, unless it has a challenge and the connection sends its secret.
 */
export type Registrations = {
  register(owner: Owner, request: RegisterRequest): RegisterOutcome | Promise<RegisterOutcome>;
  /** False when this connection does not hold the state. */
  unregister(owner: Owner, state: string): boolean;
  /** The owner confirms the callback. */
  confirm(owner: Owner, state: string): boolean;
  /** The connection has closed: all its registrations end. */
  leave(owner: Owner): void;
  /** `provider`: the label in the callback's path, if there is one. */
  deliver(state: string, provider: string | undefined, answer: ProviderAnswer): Delivery | Promise<Delivery>;
  /** Expires every registration that is past its time. */
  sweep(): void;
  /** Whether any owner still has to confirm a callback. */
  isDelivering(): boolean;
  counts(): { pending: number; delivered: number; expired: number };
};
