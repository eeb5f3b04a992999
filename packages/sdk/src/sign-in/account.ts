import type { Session as WireSession, User as WireUser } from "@backplane/contract/accounts";
import { callBackplane, type SessionOptions } from "../call.ts";
import { invalidOption, SignInError } from "../errors.ts";
import { type ApiRequest, unexpectedAnswer } from "../request.ts";
import { isObject } from "../text.ts";
import { SIGN_IN_LIMITS } from "./limits.ts";

/** One call as the signed-in user. Throws SignInError. */
async function callAs(options: SessionOptions, method: ApiRequest["method"], path: string): Promise<unknown> {
  if (typeof options.sessionToken !== "string") throw invalidOption(SignInError, "sessionToken", "is missing");
  const { answerMs, maxAnswerBytes } = SIGN_IN_LIMITS;
  return callBackplane(SignInError, options, { method, path, answerMs, maxAnswerBytes });
}

/** The name of an organisation, and the person's role in it. */
export type Membership = { name: string; role: string };

/** The signed-in user, and the session or API key that this program uses. */
export type User = {
  id: string;
  name: string;
  displayName: string;
  email: string;
  organisations: Membership[];
  /** Organisations that ask this person to join. The person accepts on the account page. */
  invitations: Membership[];
  session: {
    id: string;
    kind: "Application" | "Browser" | "ApiKey";
    name: string;
    /** Epoch milliseconds; undefined for an API key, which is valid until it is revoked. */
    expiresAt: number | undefined;
  };
};

/** GET /user. `not-signed-in` when the session has ended. */
export async function getUser(options: SessionOptions): Promise<User> {
  const body = await callAs(options, "GET", "/user");
  if (!isUser(body)) throw unexpectedAnswer(SignInError, "The answer is not an account");
  const { id, name, display_name, email, session } = body;
  const expiresAt = session.expires_at === null ? undefined : Date.parse(session.expires_at);
  return {
    id,
    name,
    displayName: display_name,
    email,
    organisations: memberships(body.organisations),
    invitations: memberships(body.invitations),
    session: { id: session.id, kind: session.kind, name: session.name, expiresAt },
  };
}

/** Earlier versions of Backplane send no invitations. */
const memberships = (list: unknown): Membership[] =>
  (Array.isArray(list) ? list : []).flatMap((one: unknown) =>
    isObject(one) && typeof one.name === "string" && typeof one.role === "string"
      ? [{ name: one.name, role: one.role }]
      : [],
  );

function isUser(body: unknown): body is WireUser {
  if (!isObject(body) || !isObject(body.session)) return false;
  const { expires_at, id, kind, name } = body.session;
  const texts = [body.id, body.name, body.display_name, body.email, id, kind, name];
  const isTime = typeof expires_at === "string" && !Number.isNaN(Date.parse(expires_at));
  return texts.every((text) => typeof text === "string") && (expires_at === null || isTime);
}

/** DELETE /auth/logout: ends the session everywhere. Not a failure if it has already ended. */
export async function signOut(options: SessionOptions): Promise<void> {
  await callAs(options, "DELETE", "/auth/logout").catch((error) => {
    if (error.code !== "not-signed-in") throw error;
  });
}

/** One place where the user is signed in. Times are epoch milliseconds. */
export type Session = {
  id: string;
  kind: "Application" | "Browser";
  /** The name that the user gave it, or the one that the program gave itself. */
  name: string;
  /** Such as "Chromium on Linux" or "Linux, Node 24"; undefined if unknown. */
  program: string | undefined;
  address: string;
  createdAt: number;
  lastUsedAt: number;
  expiresAt: number;
  /** The session that makes this call. */
  isCurrent: boolean;
};

/** GET /auth/sessions. */
export async function listSessions(options: SessionOptions): Promise<Session[]> {
  const body = await callAs(options, "GET", "/auth/sessions");
  const rows = isObject(body) ? body.sessions : undefined;
  if (!Array.isArray(rows) || !rows.every(isSession))
    throw unexpectedAnswer(SignInError, "The answer is not a list of sessions");
  return rows.map((row) => ({
    id: row.id,
    kind: row.kind,
    name: row.name,
    program: row.program ?? undefined,
    address: row.address,
    createdAt: Date.parse(row.created_at),
    lastUsedAt: Date.parse(row.last_used_at),
    expiresAt: Date.parse(row.expires_at),
    isCurrent: row.current,
  }));
}

/** DELETE /auth/sessions/{id}: signs it out at once. `refused` if no session has this id. */
export async function endSession(options: SessionOptions & { id: string }): Promise<void> {
  if (typeof options.id !== "string" || options.id === "") throw invalidOption(SignInError, "id", "is missing");
  await callAs(options, "DELETE", `/auth/sessions/${encodeURIComponent(options.id)}`);
}

function isSession(row: unknown): row is WireSession {
  if (!isObject(row)) return false;
  const times = [row.created_at, row.last_used_at, row.expires_at];
  const texts = [row.id, row.kind, row.name, row.address, ...times];
  return (
    texts.every((text) => typeof text === "string") &&
    times.every((time) => !Number.isNaN(Date.parse(String(time)))) &&
    (row.program === null || typeof row.program === "string") &&
    typeof row.current === "boolean"
  );
}
