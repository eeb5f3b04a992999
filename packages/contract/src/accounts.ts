import { type Static, Type } from "typebox";

/** Of a person or an organisation; both share one set of names, since either can own a workspace. */
export const MAX_NAME_LENGTH = 39;
export const NAME_PATTERN = `^[a-zA-Z0-9]([a-zA-Z0-9._-]{0,${MAX_NAME_LENGTH - 2}}[a-zA-Z0-9])?$`;
export const MIN_PASSWORD_LENGTH = 8;

export const ACCOUNT_LIMITS = {
  maxPasswordLength: 256,
  maxEmailLength: 254,
  maxDisplayNameLength: 100,
  /** Failed sign-ins of one address to one account in the window; more have to wait. */
  failuresPerAccountAndAddress: 10,
  /** The same to one account from anywhere: slows a guesser with many addresses, and cannot lock out who knows the password at once. */
  failuresPerAccount: 100,
  failuresPerAddress: 50,
  failureWindowMs: 15 * 60_000,
  /** Password hashes that are computed at once, and that may wait: each takes 19 MiB. */
  maxHashing: 4,
  maxWaitingForHash: 64,
  maxInvitationLength: 128,
  maxNoteLength: 100,
  invitationLifeMs: 7 * 24 * 3_600_000,
  maxOpenInvitations: 100,
  /** How long an invitation that ended is told apart from one that never was. */
  endedInvitationMemoryMs: 30 * 24 * 3_600_000,
  /** The newest ones are listed. */
  maxListedInvitations: 500,
  /** Invitations that one address looks at, and accounts it asks for, in the window. */
  registrationsPerAddress: 60,
  registrationWindowMs: 15 * 60_000,
  /** Wrong current passwords of one account in the window: whoever has only the browser may not guess. */
  wrongPasswordsPerAccount: 10,
  wrongPasswordWindowMs: 15 * 60_000,
  maxBodyBytes: 16 * 1024,
};

/** No control characters, no half characters, nothing that turns the direction of the text around it. */
const PLAIN_TEXT_PATTERN = "^[^\\p{Cc}\\p{Cs}\\u2028\\u2029\\u202a-\\u202e\\u2066-\\u2069]*$";

const Name = Type.String({ pattern: NAME_PATTERN });
const Email = Type.String({ maxLength: ACCOUNT_LIMITS.maxEmailLength, format: "email" });
const DisplayName = Type.String({ maxLength: ACCOUNT_LIMITS.maxDisplayNameLength, pattern: PLAIN_TEXT_PATTERN });
const NewPassword = Type.String({ minLength: MIN_PASSWORD_LENGTH, maxLength: ACCOUNT_LIMITS.maxPasswordLength });
const Password = Type.String({ minLength: 1, maxLength: ACCOUNT_LIMITS.maxPasswordLength });
const Time = Type.String({ format: "date-time" });

const NameOrEmail = Type.String({
  minLength: 1,
  maxLength: ACCOUNT_LIMITS.maxEmailLength,
  pattern: PLAIN_TEXT_PATTERN,
});

/** POST /auth/login: `name` or `email`; either takes the other's form too. */
export const Login = Type.Object({
  name: Type.Optional(NameOrEmail),
  email: Type.Optional(NameOrEmail),
  password: Password,
});
export type Login = Static<typeof Login>;

const SessionKind = Type.Union([Type.Literal("Browser"), Type.Literal("Application"), Type.Literal("ApiKey")]);

export const Scope = Type.Union([Type.Literal("panels"), Type.Literal("publish"), Type.Literal("read")]);
export type Scope = Static<typeof Scope>;

/** GET /user: who the caller is, and by what it speaks. */
export const User = Type.Object({
  id: Type.String(),
  name: Type.String(),
  display_name: Type.String(),
  email: Type.String(),
  is_owner: Type.Boolean(),
  organisations: Type.Array(Type.Object({ name: Type.String(), role: Type.String() })),
  session: Type.Object({
    id: Type.String({ description: "Of the session, or of the API key" }),
    kind: SessionKind,
    name: Type.String(),
    created_at: Time,
    /** Null for an API key: it holds until it is revoked. */
    expires_at: Type.Union([Time, Type.Null()]),
    scopes: Type.Array(Scope),
  }),
});
export type User = Static<typeof User>;

/** PATCH /user */
export const ChangeUser = Type.Object({ display_name: Type.Optional(DisplayName), email: Type.Optional(Email) });
export type ChangeUser = Static<typeof ChangeUser>;

/** PUT /auth/password. Every other session of the account ends. */
export const ChangePassword = Type.Object({
  current_password: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: ACCOUNT_LIMITS.maxPasswordLength,
      description: "Not needed by an account without a password",
    }),
  ),
  new_password: NewPassword,
});
export type ChangePassword = Static<typeof ChangePassword>;

/** POST /auth/accounts: by invitation, or by anybody where registration is open. Signs in. */
export const CreateAccount = Type.Object({
  invitation: Type.Optional(Type.String({ maxLength: ACCOUNT_LIMITS.maxInvitationLength })),
  name: Name,
  email: Email,
  display_name: Type.Optional(DisplayName),
  password: NewPassword,
});
export type CreateAccount = Static<typeof CreateAccount>;

/** GET /auth/options: what the sign-in page offers. */
export const SignInOptions = Type.Object({
  open_registration: Type.Boolean(),
  /** Whether the caller is signed in, so that a page need not ask GET /user only to get a 401. */
  signed_in: Type.Optional(Type.Boolean()),
  /** Absent: no OpenID Connect provider is configured. */
  openid: Type.Optional(Type.Object({ name: Type.String() })),
});
export type SignInOptions = Static<typeof SignInOptions>;

/** POST /auth/invitations, by the owner. */
export const CreateInvitation = Type.Object({
  note: Type.Optional(Type.String({ maxLength: ACCOUNT_LIMITS.maxNoteLength, pattern: PLAIN_TEXT_PATTERN })),
});
export type CreateInvitation = Static<typeof CreateInvitation>;

export const Invitation = Type.Object({
  id: Type.String(),
  note: Type.String(),
  created_at: Time,
  expires_at: Time,
  /** The name of the account it became; null while it is open. */
  used_by: Type.Union([Type.String(), Type.Null()]),
});
export type Invitation = Static<typeof Invitation>;

/** The answer to making one; the address is not shown again. */
export const NewInvitation = Type.Object({ ...Invitation.properties, url: Type.String() });
export type NewInvitation = Static<typeof NewInvitation>;

/** POST /auth/invitations/check: what the page behind an invitation's address shows. */
export const CheckInvitation = Type.Object({
  invitation: Type.String({ minLength: 1, maxLength: ACCOUNT_LIMITS.maxInvitationLength }),
});
export type CheckInvitation = Static<typeof CheckInvitation>;

export const OpenInvitation = Type.Object({ invited_by: Type.String(), expires_at: Time });
export type OpenInvitation = Static<typeof OpenInvitation>;

/** GET /auth/users, for the owner: who has an account here. */
export const Account = Type.Object({
  name: Type.String(),
  display_name: Type.String(),
  email: Type.String(),
  is_owner: Type.Boolean(),
  created_at: Time,
});
export type Account = Static<typeof Account>;

export const API_KEY_LIMITS = { maxNameLength: 80, maxPerUser: 100 };

export const ALL_SCOPES: readonly Scope[] = ["panels", "publish", "read"];

/** POST /auth/api-keys; without scopes it may do all that keys can. */
export const CreateApiKey = Type.Object({
  name: Type.String({ minLength: 1, maxLength: API_KEY_LIMITS.maxNameLength }),
  scopes: Type.Optional(Type.Array(Scope, { minItems: 1, uniqueItems: true })),
});
export type CreateApiKey = Static<typeof CreateApiKey>;

export const ApiKey = Type.Object({
  id: Type.String(),
  name: Type.String(),
  scopes: Type.Array(Scope),
  /** Its first and last characters, such as bpk_7Q2m…GuPa: enough to recognise, nothing to use. */
  hint: Type.String(),
  created_at: Time,
  last_used_at: Type.Union([Time, Type.Null()]),
});
export type ApiKey = Static<typeof ApiKey>;

/** The answer to making one; the key is not shown again. */
export const NewApiKey = Type.Object({ ...ApiKey.properties, key: Type.String() });
export type NewApiKey = Static<typeof NewApiKey>;

/** Life of a browser's session. */
export const BROWSER_SESSION_S = 7_776_000;

export const SESSION_LIMITS = {
  maxNameLength: 80,
  /** Of one account and one kind; the one that was used longest ago gives way. */
  maxPerUserAndKind: 200,
};

/** The cookie of a browser's session. */
export const SESSION_COOKIE = "session_token";
/**
 * What browsers have over https. Only this host can set one of such a name: pages of its subdomains, where others' sites
 * are shown, could else sign somebody in as somebody else.
 */
export const HOST_SESSION_COOKIE = `__Host-${SESSION_COOKIE}`;

export const Session = Type.Object({
  id: Type.String(),
  kind: Type.Union([Type.Literal("Browser"), Type.Literal("Application")]),
  /** Given by the person, else what the program said of itself. */
  name: Type.String(),
  /** Such as "Chromium on Linux" or "Linux, Node 24"; null when it does not say. */
  program: Type.Union([Type.String(), Type.Null()]),
  address: Type.String(),
  created_at: Time,
  last_used_at: Time,
  expires_at: Time,
  /** The session that asks. */
  current: Type.Boolean(),
  /** Another caller that asked for this session's token and was refused. */
  refused: Type.Union([Type.Object({ address: Type.String(), at: Time }), Type.Null()]),
});
export type Session = Static<typeof Session>;

/** Of a session or an API key. PostgreSQL fails on a NUL in a text instead of finding nothing. */
export const CredentialParams = Type.Object({ id: Type.String({ pattern: PLAIN_TEXT_PATTERN }) });

/** PATCH /auth/sessions/{id} */
export const RenameSession = Type.Object({
  name: Type.String({ minLength: 1, maxLength: SESSION_LIMITS.maxNameLength }),
});
export type RenameSession = Static<typeof RenameSession>;

export const ORGANISATION_LIMITS = {
  /** That one person is in. */
  maxPerUser: 50,
  maxMembers: 1_000,
};

export const Role = Type.Union([Type.Literal("owner"), Type.Literal("member")]);
export type Role = Static<typeof Role>;

/** POST /auth/organisations; who makes it is its first owner. */
export const CreateOrganisation = Type.Object({
  name: Type.String({ pattern: NAME_PATTERN }),
  display_name: Type.Optional(
    Type.String({ maxLength: ACCOUNT_LIMITS.maxDisplayNameLength, pattern: PLAIN_TEXT_PATTERN }),
  ),
});
export type CreateOrganisation = Static<typeof CreateOrganisation>;

export const Organisation = Type.Object({
  name: Type.String(),
  display_name: Type.String(),
  members: Type.Array(Type.Object({ name: Type.String(), role: Role })),
});
export type Organisation = Static<typeof Organisation>;

/** PUT /auth/organisations/{name}/members/{user} */
export const SetMember = Type.Object({ role: Role });
export type SetMember = Static<typeof SetMember>;

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

const Bytes = Type.String({
  pattern: "^[A-Za-z0-9_-]*$",
  maxLength: PASSKEY_LIMITS.maxFieldLength,
  description: "Base64url",
});
const Id = Type.String({ pattern: "^[A-Za-z0-9_-]+$", maxLength: PASSKEY_LIMITS.maxIdLength });
const PasskeyName = Type.String({ minLength: 1, maxLength: PASSKEY_LIMITS.maxNameLength, pattern: "\\S" });
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
export const RenamePasskey = Type.Object({ name: PasskeyName });
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
  name: Type.Optional(PasskeyName),
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

export const OPENID_LIMITS = {
  /** How long a person may take at the provider. */
  flowLifeMs: 10 * 60_000,
  maxReturnToLength: 2_048,
  /** Of one address: ways begun and answers brought back, together. */
  callsPerMinute: 120,
  providerTimeoutS: 10,
  /** How long what the provider says about itself is believed. */
  discoveryLifeMs: 60 * 60_000,
  /** Of a name that is derived: leaves room for what makes it unique. */
  maxDerivedNameLength: 30,
  /** "ada-2" to "ada-9"; after these come random ones. */
  maxNumberedNames: 9,
  maxRandomNames: 3,
};

/** What the page that a failed sign-in (or, when linking, the account page) is reached with: `?fault=…`. */
export type OpenidFault = "openid-declined" | "openid-failed" | "openid-unknown" | "openid-taken";

/** GET /auth/openid/start */
export const StartOpenid = Type.Object({
  return_to: Type.Optional(Type.String({ description: "A path of this site; another one counts as /" })),
  moved: Type.Optional(Type.String({ description: "Set by the server when it moved the browser to its own name" })),
});

/** POST /auth/openid/link: where the browser goes next. */
export const OpenidAddress = Type.Object({ url: Type.String() });
export type OpenidAddress = Static<typeof OpenidAddress>;

/** GET /auth/openid/link */
export const OpenidLink = Type.Object({ linked: Type.Boolean() });
export type OpenidLink = Static<typeof OpenidLink>;
