import { type Static, Type } from "typebox";

/** Of a person or an organisation; both share one set of names, since either can own a workspace. */
export const NAME_PATTERN = "^[a-zA-Z0-9]([a-zA-Z0-9._-]{0,37}[a-zA-Z0-9])?$";
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
