import { type Static, Type } from "typebox";

export const INTENT_LIFE_MS = 15 * 60_000;

/** How long the session of a program lives, unless the program asks for something else. */
export const DEFAULT_MAX_AGE_S = 7_776_000;
export const MIN_MAX_AGE_S = 60;
export const MAX_MAX_AGE_S = 31_536_000;

/** How often a program that polls should ask. */
export const POLL_INTERVAL_MS = 2_000;

export const INTENT_LIMITS = {
  maxBodyBytes: 4 * 1024,
  maxAppNameLength: 80,
  /** A confirmation code as a person types it, with dashes or spaces. */
  maxTypedCodeLength: 32,
  /** New intents per address and minute. Loopback is not counted: a proxy on this machine speaks for everybody. */
  createsPerMinute: 120,
  /** Undecided intents of all callers together, including expired ones that are still remembered. */
  maxUnanswered: 1_000_000,
  /** Status calls per caller and intent in ten seconds; polling every 2 s makes five. */
  pollsPerTenSeconds: 100,
  /** Wrong confirmation codes; the next one denies the intent. */
  maxWrongCodes: 5,
  /** Callers per intent that the approval page can show, besides the one that created it. */
  maxCallers: 8,
  /** Open streams per intent and instance. */
  maxStreamsPerIntent: 16,
  /** Decisions that the account page lists. */
  maxApprovals: 20,
  /** How long an expired intent is still answered differently from an unknown one. */
  expiredMemoryMs: 24 * 3_600_000,
  /** How long an approval or denial is listed on the account page after its session has ended. */
  decidedMemoryMs: 30 * 24 * 3_600_000,
};

/** Upper-case consonants: codes never spell a word and have no letters that look like digits. */
export const CONFIRMATION_ALPHABET = "BCDFGHJKLMNPQRSTVWXZ";

/** SHA-256 in base64url. */
const CHALLENGE_PATTERN = "^[A-Za-z0-9_-]{43}$";

/** The header with which a program proves that it created the intent: the verifier of its `code_challenge`. */
export const VERIFIER_HEADER = "x-code-verifier";

export const CreateIntent = Type.Object({
  max_age: Type.Optional(
    Type.Integer({ minimum: MIN_MAX_AGE_S, maximum: MAX_MAX_AGE_S, description: "Life of the session in seconds" }),
  ),
  code_challenge: Type.Optional(
    Type.String({ pattern: CHALLENGE_PATTERN, description: "Base64url SHA-256 of a verifier that only you know" }),
  ),
  code_challenge_method: Type.Optional(Type.Literal("S256")),
  app_name: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: INTENT_LIMITS.maxAppNameLength,
      description: "Shown to people, as not verified",
    }),
  ),
});
export type CreateIntent = Static<typeof CreateIntent>;

export const Intent = Type.Object({
  token: Type.String(),
  created_at: Type.String({ format: "date-time" }),
  expires_at: Type.String({ format: "date-time" }),
  requested_max_age: Type.Integer(),
  auth_url: Type.String(),
  updates_url: Type.String(),
  completed: Type.Boolean(),
  confirmation_code: Type.String(),
});
export type Intent = Static<typeof Intent>;

/** The decision of the person. Without a `decision` it is an approval. */
export const DecideIntent = Type.Object({
  decision: Type.Optional(Type.Union([Type.Literal("approve"), Type.Literal("deny")])),
  confirmation_code: Type.Optional(
    Type.String({
      maxLength: INTENT_LIMITS.maxTypedCodeLength,
      description: "Case, dashes and spaces are ignored",
    }),
  ),
});
export type DecideIntent = Static<typeof DecideIntent>;

export const IntentStatus = Type.Union([
  Type.Object({ state: Type.Literal("pending") }),
  Type.Object({ state: Type.Literal("authenticated"), session_token: Type.String() }),
]);
export type IntentStatus = Static<typeof IntentStatus>;

/** A program that waits for the token, as the approval page shows it. */
export const IntentCaller = Type.Object({
  address: Type.String(),
  /** Such as "Linux, Node 24"; null when unknown. */
  program: Type.Union([Type.String(), Type.Null()]),
  since: Type.String({ format: "date-time" }),
  /** Whether it created the intent. */
  is_creator: Type.Boolean(),
  /** No session of this person was ever used from there. */
  is_new_address: Type.Boolean(),
});
export type IntentCaller = Static<typeof IntentCaller>;

/** GET /auth/intents/{token}/request, for a signed-in browser: what a person needs to know to decide. */
export const IntentRequest = Type.Object({
  state: Type.Union([
    Type.Literal("pending"),
    Type.Literal("authenticated"),
    Type.Literal("denied"),
    Type.Literal("expired"),
  ]),
  app_name: Type.Union([Type.String(), Type.Null()]),
  confirmation_code: Type.String(),
  created_at: Type.String({ format: "date-time" }),
  expires_at: Type.String({ format: "date-time" }),
  requested_max_age: Type.Integer(),
  /** When the session ends, or would end if it were approved now. */
  session_ends_at: Type.String({ format: "date-time" }),
  callers: Type.Array(IntentCaller),
});
export type IntentRequest = Static<typeof IntentRequest>;

/** An entry of "recent approvals" on the account page. */
export const Approval = Type.Object({
  decision: Type.Union([Type.Literal("approve"), Type.Literal("deny")]),
  app_name: Type.Union([Type.String(), Type.Null()]),
  address: Type.String(),
  decided_at: Type.String({ format: "date-time" }),
  /** Null for denials, and after the session has ended. */
  session_id: Type.Union([Type.String(), Type.Null()]),
});
export type Approval = Static<typeof Approval>;
