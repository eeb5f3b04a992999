import type { User as WireUser } from "@backplane/contract/accounts";
import { unexpected } from "./errors.ts";
import { isObject } from "./is-object.ts";
import { callAs, type SessionOptions } from "./session-call.ts";

/** Who has signed in, and by what this program speaks for them. */
export type User = {
  id: string;
  name: string;
  displayName: string;
  email: string;
  session: {
    id: string;
    kind: "Application" | "Browser" | "ApiKey";
    name: string;
    /** Epoch milliseconds; undefined for an API key, which holds until it is revoked. */
    expiresAt: number | undefined;
  };
};

/** GET /user. `not-signed-in` when the session has ended. */
export async function getUser(options: SessionOptions): Promise<User> {
  const body = await callAs(options, "GET", "/user");
  if (!isUser(body)) throw unexpected("The answer is no account");
  const { id, name, display_name, email, session } = body;
  const expiresAt = session.expires_at === null ? undefined : Date.parse(session.expires_at);
  return {
    id,
    name,
    displayName: display_name,
    email,
    session: { id: session.id, kind: session.kind, name: session.name, expiresAt },
  };
}

function isUser(body: unknown): body is WireUser {
  if (!isObject(body) || !isObject(body.session)) return false;
  const { expires_at, id, kind, name } = body.session;
  const texts = [body.id, body.name, body.display_name, body.email, id, kind, name];
  const isTime = typeof expires_at === "string" && !Number.isNaN(Date.parse(expires_at));
  return texts.every((text) => typeof text === "string") && (expires_at === null || isTime);
}

/** DELETE /auth/logout: the session ends everywhere. One that has ended already is no failure. */
export async function signOut(options: SessionOptions): Promise<void> {
  await callAs(options, "DELETE", "/auth/logout").catch((error) => {
    if (error.code !== "not-signed-in") throw error;
  });
}
