import { type Static, Type } from "typebox";

export const PASSKEY_LIMITS = {
  maxPerUser: 20,
  maxNameLength: 80,
  challengeLifeMs: 5 * 60_000,
  maxBodyBytes: 64 * 1024,
  /** In base64url. It is also a part of an address, and those are bounded. */
  maxIdLength: 512,
  /** Of each field that a browser hands over, in base64url. */
  maxFieldLength: 16 * 1024,
  maxTransports: 8,
  /** Of one address: challenges asked for and answers given, together. A sign-in takes one of each. */
  signInsPerMinute: 120,
};

const Time = Type.String({ format: "date-time" });
const Bytes = Type.String({
  pattern: "^[A-Za-z0-9_-]*$",
  maxLength: PASSKEY_LIMITS.maxFieldLength,
  description: "Base64url",
});
const Id = Type.String({ pattern: "^[A-Za-z0-9_-]+$", maxLength: PASSKEY_LIMITS.maxIdLength });
const Name = Type.String({ minLength: 1, maxLength: PASSKEY_LIMITS.maxNameLength, pattern: "\\S" });
const PublicKey = Type.Literal("public-key");
const Transports = Type.Array(Type.String({ pattern: "^[a-z-]{1,32}$" }), { maxItems: PASSKEY_LIMITS.maxTransports });

/** What is told about a passkey: never its key. */
export const Passkey = Type.Object({
  id: Type.String(),
  name: Type.String(),
  created_at: Time,
  last_used_at: Type.Union([Time, Type.Null()]),
});
export type Passkey = Static<typeof Passkey>;

/** GET /auth/passkeys */
export const Passkeys = Type.Object({ passkeys: Type.Array(Passkey) });
export type Passkeys = Static<typeof Passkeys>;

/** PATCH /auth/passkeys/{id} */
export const RenamePasskey = Type.Object({ name: Name });
export type RenamePasskey = Static<typeof RenamePasskey>;

export const PasskeyParameters = Type.Object({ id: Id });

/** What `PublicKeyCredential.parseCreationOptionsFromJSON()` of browsers takes. */
export const PasskeyCreationOptions = Type.Object({
  challenge: Type.String(),
  rp: Type.Object({ id: Type.String(), name: Type.String() }),
  user: Type.Object({ id: Type.String(), name: Type.String(), displayName: Type.String() }),
  pubKeyCredParams: Type.Array(Type.Object({ type: PublicKey, alg: Type.Integer() })),
  timeout: Type.Integer(),
  excludeCredentials: Type.Array(
    Type.Object({ id: Type.String(), type: PublicKey, transports: Type.Array(Type.String()) }),
  ),
  authenticatorSelection: Type.Object({
    residentKey: Type.Literal("required"),
    requireResidentKey: Type.Boolean(),
    userVerification: Type.Literal("preferred"),
  }),
  attestation: Type.Literal("none"),
});
export type PasskeyCreationOptions = Static<typeof PasskeyCreationOptions>;

/** What `PublicKeyCredential.parseRequestOptionsFromJSON()` of browsers takes. Names no passkey: the browser offers those it has. */
export const PasskeyRequestOptions = Type.Object({
  challenge: Type.String(),
  rpId: Type.String(),
  timeout: Type.Integer(),
  userVerification: Type.Literal("preferred"),
});
export type PasskeyRequestOptions = Static<typeof PasskeyRequestOptions>;

/** POST /auth/passkeys: what `toJSON()` of a new browser credential gives, and how to call it. */
export const CreatePasskey = Type.Object({
  name: Type.Optional(Name),
  credential: Type.Object({
    id: Id,
    rawId: Id,
    type: PublicKey,
    response: Type.Object({
      clientDataJSON: Bytes,
      attestationObject: Bytes,
      transports: Type.Optional(Transports),
    }),
  }),
});
export type CreatePasskey = Static<typeof CreatePasskey>;

/** POST /auth/passkeys/sign-in: what `toJSON()` of a browser's answer gives. */
export const SignInByPasskey = Type.Object({
  credential: Type.Object({
    id: Id,
    rawId: Id,
    type: PublicKey,
    response: Type.Object({
      clientDataJSON: Bytes,
      authenticatorData: Bytes,
      signature: Bytes,
      userHandle: Type.Optional(Type.Union([Bytes, Type.Null()])),
    }),
  }),
});
export type SignInByPasskey = Static<typeof SignInByPasskey>;
