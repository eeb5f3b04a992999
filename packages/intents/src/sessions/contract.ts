import { type Static, Type } from "typebox";
import { PLAIN_TEXT_PATTERN } from "../accounts/contract.ts";

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

const Time = Type.String({ format: "date-time" });

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
