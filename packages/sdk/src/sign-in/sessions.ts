import type { Session as WireSession } from "@backplane/contract/accounts";
import { badOption, unexpected } from "./errors.ts";
import { isObject } from "./is-object.ts";
import { callAs, type SessionOptions } from "./session-call.ts";

/** One place where the user is signed in. Times are epoch milliseconds. */
export type Session = {
  id: string;
  kind: "Application" | "Browser";
  /** Given by the person, else what the program said of itself. */
  name: string;
  /** Such as "Chromium on Linux" or "Linux, Node 24"; undefined when it does not say. */
  program: string | undefined;
  address: string;
  createdAt: number;
  lastUsedAt: number;
  expiresAt: number;
  /** The one that asks. */
  isCurrent: boolean;
};

/** GET /auth/sessions. */
export async function listSessions(options: SessionOptions): Promise<Session[]> {
  const body = await callAs(options, "GET", "/auth/sessions");
  const rows = isObject(body) ? body.sessions : undefined;
  if (!Array.isArray(rows) || !rows.every(isSession)) throw unexpected("The answer is no list of sessions");
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

/** DELETE /auth/sessions/{id}: whoever has it is signed out at once. `refused` when there is none with this id. */
export async function endSession(options: SessionOptions & { id: string }): Promise<void> {
  if (typeof options.id !== "string" || options.id === "") throw badOption("id", "is missing");
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
