import { type Static, Type } from "typebox";

/** The name of a person or an organisation. Both share one set of names, since either can own a workspace. */
export const MAX_NAME_LENGTH = 39;
export const NAME_PATTERN = `^[a-zA-Z0-9]([a-zA-Z0-9._-]{0,${MAX_NAME_LENGTH - 2}}[a-zA-Z0-9])?$`;
export const MIN_PASSWORD_LENGTH = 8;

export const ACCOUNT_LIMITS = {
  maxPasswordLength: 256,
  maxEmailLength: 254,
  maxDisplayNameLength: 100,
  /**
   * Failed sign-ins per account and address in the window; further attempts have to wait. Here and below, the name and the
   * email address of an account count as two: otherwise it could be found out that they belong together.
   */
  failuresPerAccountAndAddress: 10,
  /** Failed sign-ins per account from any address: slows down guessing from many addresses. */
  failuresPerAccount: 100,
  failuresPerAddress: 50,
  /** Attempts per address in the window that are checked beyond these limits, for people who signed in from there before. */
  checksBeyondLimits: 100,
  failureWindowMs: 15 * 60_000,
  /** Password hashes that run at the same time, and that may wait: each takes 19 MiB. */
  maxHashing: 4,
  maxWaitingForHash: 64,
  maxInvitationLength: 128,
  maxNoteLength: 100,
  invitationLifeMs: 7 * 24 * 3_600_000,
  maxOpenInvitations: 100,
  /** How long an ended invitation is still answered differently from an unknown one. */
  endedInvitationMemoryMs: 30 * 24 * 3_600_000,
  /** Only the newest are listed. */
  maxListedInvitations: 500,
  /** Checks of invitations and registrations per address in the window. */
  registrationsPerAddress: 60,
  registrationWindowMs: 15 * 60_000,
  /** Wrong current passwords per account in the window: a stolen browser session must not be able to guess it. */
  wrongPasswordsPerAccount: 10,
  wrongPasswordWindowMs: 15 * 60_000,
  /** A link for a new password works once, within this time. */
  resetLinkLifeMs: 60 * 60_000,
  maxResetTokenLength: 128,
  /** Checks and uses of such links per address in the window. */
  resetsPerAddress: 60,
  resetWindowMs: 15 * 60_000,
  maxBodyBytes: 16 * 1024,
};

/** No control characters, lone surrogates, or characters that change the direction of the surrounding text. */
export const PLAIN_TEXT_PATTERN = "^[^\\p{Cc}\\p{Cs}\\u2028\\u2029\\u202a-\\u202e\\u2066-\\u2069]*$";

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

/** POST /auth/login: `name` or `email`; each field accepts both forms. */
export const Login = Type.Object(
  { name: Type.Optional(NameOrEmail), email: Type.Optional(NameOrEmail), password: Password },
  { examples: [{ name: "ada", password: "correct horse battery staple" }] },
);
export type Login = Static<typeof Login>;

const SessionKind = Type.Union([Type.Literal("Browser"), Type.Literal("Application"), Type.Literal("ApiKey")]);

/** What an API key may be limited to. Sessions have all scopes. */
export const Scope = Type.Union([
  Type.Literal("panels"),
  Type.Literal("publish"),
  Type.Literal("read"),
  Type.Literal("devices:read"),
  Type.Literal("devices:control"),
]);
export type Scope = Static<typeof Scope>;

/** GET /user: who the caller is, and with which session or key. */
export const User = Type.Object({
  id: Type.String(),
  name: Type.String(),
  display_name: Type.String(),
  email: Type.String(),
  is_owner: Type.Boolean(),
  organisations: Type.Array(Type.Object({ name: Type.String(), role: Type.String() })),
  /** Organisations that ask this person to join. They count for nothing until the person accepts. */
  invitations: Type.Array(Type.Object({ name: Type.String(), role: Type.String() })),
  session: Type.Object({
    id: Type.String({ description: "The id of the session or the API key" }),
    kind: SessionKind,
    name: Type.String(),
    created_at: Time,
    /** Null for an API key: it is valid until it is revoked. */
    expires_at: Type.Union([Time, Type.Null()]),
    scopes: Type.Array(Scope),
  }),
});
export type User = Static<typeof User>;

/** PATCH /user */
export const ChangeUser = Type.Object(
  { display_name: Type.Optional(DisplayName), email: Type.Optional(Email) },
  { examples: [{ display_name: "Ada Lovelace" }] },
);
export type ChangeUser = Static<typeof ChangeUser>;

/** PUT /auth/password. All other sessions of the account end. */
export const ChangePassword = Type.Object({
  current_password: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: ACCOUNT_LIMITS.maxPasswordLength,
      description: "Not needed if the account has no password",
    }),
  ),
  new_password: NewPassword,
});
export type ChangePassword = Static<typeof ChangePassword>;

/** POST /auth/accounts: with an invitation, or without one where registration is open. Signs in. */
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
  /** Whether the caller is signed in, so that a page does not have to call GET /user and get a 401. */
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

/** The answer to POST /auth/invitations; the address is shown only here. */
export const NewInvitation = Type.Object({ ...Invitation.properties, url: Type.String() });
export type NewInvitation = Static<typeof NewInvitation>;

/** POST /auth/invitations/check: what the page of an invitation shows. */
export const CheckInvitation = Type.Object({
  invitation: Type.String({ minLength: 1, maxLength: ACCOUNT_LIMITS.maxInvitationLength }),
});
export type CheckInvitation = Static<typeof CheckInvitation>;

export const OpenInvitation = Type.Object({ invited_by: Type.String(), expires_at: Time });
export type OpenInvitation = Static<typeof OpenInvitation>;

/** GET /auth/users, for the owner: all accounts. */
export const Account = Type.Object({
  name: Type.String(),
  display_name: Type.String(),
  email: Type.String(),
  is_owner: Type.Boolean(),
  created_at: Time,
});
export type Account = Static<typeof Account>;

/** POST /auth/users/{name}/reset-link, for the owner: a link with which that person chooses a new password. */
export const ResetLink = Type.Object({ url: Type.String(), expires_at: Time });
export type ResetLink = Static<typeof ResetLink>;

const ResetToken = Type.String({ minLength: 1, maxLength: ACCOUNT_LIMITS.maxResetTokenLength });

/** POST /auth/password/reset/check: what the page of such a link shows. */
export const CheckReset = Type.Object({ token: ResetToken });
export type CheckReset = Static<typeof CheckReset>;

export const OpenReset = Type.Object({
  name: Type.String(),
  /** Null: by a command on the machine. */
  made_by: Type.Union([Type.String(), Type.Null()]),
  created_at: Time,
  expires_at: Time,
  /** What ends with the reset. */
  sessions: Type.Integer(),
  api_keys: Type.Integer(),
});
export type OpenReset = Static<typeof OpenReset>;

/** POST /auth/password/reset. Ends all sessions and API keys of the account, then signs this browser in. */
export const ResetPassword = Type.Object({ token: ResetToken, new_password: NewPassword });
export type ResetPassword = Static<typeof ResetPassword>;

export const PasswordReset = Type.Object({
  name: Type.String(),
  ended_sessions: Type.Integer(),
  ended_api_keys: Type.Integer(),
});
export type PasswordReset = Static<typeof PasswordReset>;

export const API_KEY_LIMITS = { maxNameLength: 80, maxPerUser: 100 };

export const ALL_SCOPES: readonly Scope[] = ["panels", "publish", "read", "devices:read", "devices:control"];

/** POST /auth/api-keys; without `scopes` the key has all of them. */
export const CreateApiKey = Type.Object({
  name: Type.String({ minLength: 1, maxLength: API_KEY_LIMITS.maxNameLength }),
  scopes: Type.Optional(Type.Array(Scope, { minItems: 1, uniqueItems: true })),
});
export type CreateApiKey = Static<typeof CreateApiKey>;

export const ApiKey = Type.Object({
  id: Type.String(),
  name: Type.String(),
  scopes: Type.Array(Scope),
  /** The first and last characters, such as bpk_7Q2m…GuPa: enough to recognise the key, not to use it. */
  hint: Type.String(),
  created_at: Time,
  last_used_at: Type.Union([Time, Type.Null()]),
});
export type ApiKey = Static<typeof ApiKey>;

/** The answer to POST /auth/api-keys; the key is shown only here. */
export const NewApiKey = Type.Object({ ...ApiKey.properties, key: Type.String() });
export type NewApiKey = Static<typeof NewApiKey>;

/** How long a browser's session lives. */
export const BROWSER_SESSION_S = 7_776_000;

export const SESSION_LIMITS = {
  maxNameLength: 80,
  /** Sessions per account and kind. One more ends the one that was unused for longest. */
  maxPerUserAndKind: 200,
};

/** The cookie of a browser's session. */
export const SESSION_COOKIE = "session_token";
/**
 * The name over https. Only this host can set a cookie with the prefix `__Host-`; pages on its subdomains, which show
 * foreign sites, could otherwise sign people in to another account.
 */
export const HOST_SESSION_COOKIE = `__Host-${SESSION_COOKIE}`;

export const Session = Type.Object({
  id: Type.String(),
  kind: Type.Union([Type.Literal("Browser"), Type.Literal("Application")]),
  /** Given by the person, else what the program calls itself. */
  name: Type.String(),
  /** Such as "Chromium on Linux" or "Linux, Node 24"; null when unknown. */
  program: Type.Union([Type.String(), Type.Null()]),
  address: Type.String(),
  created_at: Time,
  last_used_at: Time,
  expires_at: Time,
  /** Whether it is the session of this request. */
  current: Type.Boolean(),
  /** The last caller that asked for this session's token and was refused. */
  refused: Type.Union([Type.Object({ address: Type.String(), at: Time }), Type.Null()]),
});
export type Session = Static<typeof Session>;

/** The id of a session or an API key. The pattern matters: PostgreSQL fails on text with a NUL. */
export const CredentialParams = Type.Object({ id: Type.String({ pattern: PLAIN_TEXT_PATTERN }) });

/** PATCH /auth/sessions/{id} */
export const RenameSession = Type.Object({
  name: Type.String({ minLength: 1, maxLength: SESSION_LIMITS.maxNameLength }),
});
export type RenameSession = Static<typeof RenameSession>;

export const ORGANISATION_LIMITS = {
  /** Organisations per person that they created or joined. The owner of the instance, who gets those of others, has no limit. */
  maxPerUser: 50,
  /** Members and people who are invited, together. */
  maxMembers: 1_000,
  /** Only the newest are listed. */
  maxListedInvitations: 100,
};

export const Role = Type.Union([Type.Literal("owner"), Type.Literal("member")]);
export type Role = Static<typeof Role>;

/** POST /auth/organisations; the creator becomes its first owner. */
export const CreateOrganisation = Type.Object({
  name: Type.String({ pattern: NAME_PATTERN }),
  display_name: Type.Optional(
    Type.String({ maxLength: ACCOUNT_LIMITS.maxDisplayNameLength, pattern: PLAIN_TEXT_PATTERN }),
  ),
});
export type CreateOrganisation = Static<typeof CreateOrganisation>;

const Member = Type.Object({ name: Type.String(), role: Role });

export const Organisation = Type.Object({
  id: Type.String(),
  name: Type.String(),
  display_name: Type.String(),
  members: Type.Array(Member),
  /** People who have not accepted yet, with the role they will have. */
  invited: Type.Array(Member),
});
export type Organisation = Static<typeof Organisation>;

/** One line of GET /user/orgs: an organisation that the caller is in, and their role there. */
export const UserOrganisation = Type.Object({ name: Type.String(), display_name: Type.String(), role: Role });
export type UserOrganisation = Static<typeof UserOrganisation>;

/** An organisation that asks the caller to join. */
export const OrganisationInvitation = Type.Object({
  name: Type.String(),
  display_name: Type.String(),
  role: Role,
  /** Null: that account was removed. */
  invited_by: Type.Union([Type.String(), Type.Null()]),
  invited_at: Time,
});
export type OrganisationInvitation = Static<typeof OrganisationInvitation>;

/** GET /auth/organisations */
export const OrganisationList = Type.Object({
  organisations: Type.Array(Organisation),
  invitations: Type.Array(OrganisationInvitation),
});
export type OrganisationList = Static<typeof OrganisationList>;

/** PUT /auth/organisations/{name}/members/{user} */
export const SetMember = Type.Object({ role: Role });
export type SetMember = Static<typeof SetMember>;

export const PASSKEY_LIMITS = {
  maxPerUser: 20,
  maxNameLength: 80,
  challengeLifeMs: 5 * 60_000,
  maxBodyBytes: 64 * 1024,
  /** Characters in base64url. Ids are part of URLs, whose length is limited. */
  maxIdLength: 512,
  /** Characters in base64url of each field that a browser sends. */
  maxFieldLength: 16 * 1024,
  maxTransports: 8,
  /** Calls per address. A sign-in takes two: one for the challenge, one for the answer. */
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

/** What people see of a passkey: never its key. */
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

/** What `PublicKeyCredential.parseRequestOptionsFromJSON()` of browsers takes. It lists no passkeys: the browser offers those it has. */
export const PasskeyRequestOptions = Type.Object({
  challenge: Type.String(),
  rpId: Type.String(),
  timeout: Type.Integer(),
  userVerification: Type.Literal("preferred"),
});
export type PasskeyRequestOptions = Static<typeof PasskeyRequestOptions>;

/** POST /auth/passkeys: what `toJSON()` of a new browser credential gives, and its name. */
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
  /** Calls per address. A sign-in takes two: to the provider and back. */
  callsPerMinute: 120,
  providerTimeoutS: 10,
  /** Metadata, keys, tokens and claims are a few kilobytes each. */
  maxAnswerBytes: 1_048_576,
  /** How long the metadata of the provider is cached. */
  discoveryLifeMs: 60 * 60_000,
  /** Leaves room for a suffix that makes a derived name unique. */
  maxDerivedNameLength: 30,
  /** "ada-2" to "ada-9"; then random suffixes are tried. */
  maxNumberedNames: 9,
  maxRandomNames: 3,
};

/** After a failure the sign-in page (or, when linking, the account page) opens with `?fault=…`. */
export type OpenidFault = "openid-declined" | "openid-failed" | "openid-unknown" | "openid-taken";

/** GET /auth/openid/start */
export const StartOpenid = Type.Object({
  return_to: Type.Optional(Type.String({ description: "A path on this site; anything else counts as /" })),
  moved: Type.Optional(Type.String({ description: "Set by the server when it redirected the browser to BASE_URL" })),
});

/** POST /auth/openid/link: where the browser goes next. */
export const OpenidAddress = Type.Object({ url: Type.String() });
export type OpenidAddress = Static<typeof OpenidAddress>;

/** GET /auth/openid/link */
export const OpenidLink = Type.Object({ linked: Type.Boolean() });
export type OpenidLink = Static<typeof OpenidLink>;
