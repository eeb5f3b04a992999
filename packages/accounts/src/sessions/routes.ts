import { CredentialParams, RenameSession, Session } from "@backplane/contract/accounts";
import type { Clock } from "@backplane/kit/clock";
import type { App } from "@backplane/kit/http";
import { Problem } from "@backplane/kit/problems";
import { Type } from "typebox";
import { CHANGING, ENDING, READING, requireBrowser, requireSession } from "../callers/access.ts";
import type { Callers } from "../callers/callers.ts";
import { readLabel } from "./label.ts";
import type { SessionRow, SessionStore } from "./store.ts";

export type SessionRoutes = {
  sessions: SessionStore;
  callers: Pick<Callers, "whoIsCalling" | "forget">;
  now: Clock;
};

const describe = (summary: string) => ({ tags: ["sessions"], summary });
const params = CredentialParams;

/** What has access to an account, and how to end that access. Everybody sees and ends only their own sessions. */
export function serveSessions(app: App, { sessions, callers, now }: SessionRoutes): void {
  const { whoIsCalling, forget } = callers;

  app.get(
    "/auth/sessions",
    {
      ...READING,
      schema: {
        ...describe("List your sessions, most recently used first"),
        access: "session",
        response: { 200: Type.Object({ sessions: Type.Array(Session) }) },
      },
    },
    async (request) => {
      const { userId, credentialId } = await requireSession(whoIsCalling, request);
      const rows = await sessions.list(userId, now());
      return { sessions: rows.map((row) => toWire(row, credentialId)) };
    },
  );

  app.patch(
    "/auth/sessions/:id",
    {
      ...CHANGING,
      schema: {
        ...describe("Rename a session"),
        access: "browser",
        problems: ["not-found"],
        params,
        body: RenameSession,
        response: { 200: Session },
      },
    },
    async (request) => {
      const { userId, credentialId } = await requireBrowser(whoIsCalling, request);
      const row = await sessions.rename(userId, request.params.id, readLabel(request.body.name), now());
      if (!row) throw noSuchSession();
      return toWire(row, credentialId);
    },
  );

  app.delete(
    "/auth/sessions/:id",
    {
      ...ENDING,
      schema: {
        ...describe("End a session; its token stops working at once"),
        access: "session",
        problems: ["not-found"],
        params,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const { userId } = await requireSession(whoIsCalling, request);
      const { id } = request.params;
      if (!(await sessions.end(userId, id))) throw noSuchSession();
      await forget([id]);
      return reply.code(204).send(null);
    },
  );

  app.delete(
    "/auth/sessions",
    {
      ...CHANGING,
      schema: {
        ...describe("End all your other sessions"),
        access: "session",
        response: { 200: Type.Object({ ended: Type.Integer() }) },
      },
    },
    async (request) => {
      const { userId, credentialId } = await requireSession(whoIsCalling, request);
      const ended = await sessions.endOthers(userId, credentialId);
      await forget(ended);
      return { ended: ended.length };
    },
  );
}

const noSuchSession = () => new Problem("not-found", { detail: "You have no session with this id." });

const toWire = (row: SessionRow, currentId: string): Session => ({
  id: row.id,
  kind: row.kind,
  name: row.name,
  program: row.program,
  address: row.address,
  created_at: isoTime(row.created_at_ms),
  last_used_at: isoTime(row.last_used_at_ms),
  expires_at: isoTime(row.expires_at_ms),
  current: row.id === currentId,
  refused:
    row.refused_address === null || row.refused_at_ms === null
      ? null
      : { address: row.refused_address, at: isoTime(row.refused_at_ms) },
});

const isoTime = (ms: number): string => new Date(ms).toISOString();
