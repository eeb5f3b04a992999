import { type Static, Type } from "typebox";

export const INTENT_LIFE_MS = 15 * 60_000;

/** The session that an approval makes, unless the program asks for another life. */
export const DEFAULT_MAX_AGE_S = 7_776_000;
export const MIN_MAX_AGE_S = 60;
export const MAX_MAX_AGE_S = 31_536_000;

/** How often a program that polls should ask. */
export const POLL_INTERVAL_MS = 2_000;

export const INTENT_LIMITS = {
  maxBodyBytes: 4 * 1024,
  maxAppNameLength: 80,
  /** A confirmation code as somebody types it, with whatever stands between its letters. */
  maxTypedCodeLength: 32,
  /** New intents of one address in a minute. Loopback is not counted: a proxy on this machine speaks for everybody. */
  createsPerMinute: 120,
  /** Intents that nobody has answered, of all callers together, also expired ones that are remembered. */
  maxUnanswered: 1_000_000,
  /** Status calls of one caller for one intent in ten seconds; polling every 2 s makes five. */
  pollsPerTenSeconds: 100,
  /** Wrong confirmation codes; the next one denies the intent. */
  maxWrongCodes: 5,
  /** Callers of one intent that the approval page can show, besides the one that made it. */
  maxCallers: 8,
  /** Streams of one intent at a time. */
  maxStreamsPerIntent: 16,
  /** Decisions that the account page lists. */
  maxApprovals: 20,
  /** How long an intent that ended unanswered is told apart from one that never was. */
  expiredMemoryMs: 24 * 3_600_000,
  /** How long an approval or denial is listed on the account page after its session has ended. */
  decidedMemoryMs: 30 * 24 * 3_600_000,
};

/** Eight upper-case consonants: no word by accident, nothing that reads like a digit. */
export const CONFIRMATION_ALPHABET = "BCDFGHJKLMNPQRSTVWXZ";

/** SHA-256 in base64url. */
const CHALLENGE_PATTERN = "^[A-Za-z0-9_-]{43}$";

/** The header in which a program that made its intent with a `code_challenge` proves that it was it. */
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
      description: "What people see; shown as not verified",
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

/** What the person answers. Without a `decision` it is an approval. */
export const DecideIntent = Type.Object({
  decision: Type.Optional(Type.Union([Type.Literal("approve"), Type.Literal("deny")])),
  confirmation_code: Type.Optional(
    Type.String({
      maxLength: INTENT_LIMITS.maxTypedCodeLength,
      description: "Compared without case, dashes and spaces",
    }),
  ),
});
export type DecideIntent = Static<typeof DecideIntent>;

export const IntentStatus = Type.Union([
  Type.Object({ state: Type.Literal("pending") }),
  Type.Object({ state: Type.Literal("authenticated"), session_token: Type.String() }),
]);
export type IntentStatus = Static<typeof IntentStatus>;

/** One who waits for the token, as the approval page shows it. */
export const IntentCaller = Type.Object({
  address: Type.String(),
  /** Such as "Linux, Node 24"; null when it does not say. */
  program: Type.Union([Type.String(), Type.Null()]),
  since: Type.String({ format: "date-time" }),
  /** The one that made the intent. */
  is_creator: Type.Boolean(),
  /** No session of this person was ever used from there. */
  is_new_address: Type.Boolean(),
});
export type IntentCaller = Static<typeof IntentCaller>;

/** What a person needs to judge: GET /auth/intents/{token}/request, for a signed-in browser. */
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
  /** When the session would end if it were approved now, or ends. */
  session_ends_at: Type.String({ format: "date-time" }),
  callers: Type.Array(IntentCaller),
});
export type IntentRequest = Static<typeof IntentRequest>;

/** A line of "recent approvals" on the account page. */
export const Approval = Type.Object({
  decision: Type.Union([Type.Literal("approve"), Type.Literal("deny")]),
  app_name: Type.Union([Type.String(), Type.Null()]),
  address: Type.String(),
  decided_at: Type.String({ format: "date-time" }),
  /** Null once that session has ended, and for denials. */
  session_id: Type.Union([Type.String(), Type.Null()]),
});
export type Approval = Static<typeof Approval>;
