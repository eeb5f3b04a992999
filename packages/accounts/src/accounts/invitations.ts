import { randomUUID } from "node:crypto";
import {
  ACCOUNT_LIMITS,
  CheckInvitation,
  CreateInvitation,
  Invitation,
  NewInvitation,
  OpenInvitation,
} from "@backplane/contract/accounts";
import type { WhoIsCalling } from "@backplane/kit/callers";
import type { Clock } from "@backplane/kit/clock";
import type { Database } from "@backplane/kit/database";
import { type App, callerKey, limitRate } from "@backplane/kit/http";
import { Problem } from "@backplane/kit/problems";
import type { RateLimiter } from "@backplane/kit/rate-limiter";
import { hashSecret, newSecret } from "@backplane/kit/secrets";
import type { Transaction } from "kysely";
import { Type } from "typebox";
import { CHANGING, READING, requireInstanceOwner } from "../callers/access.ts";
import type { AccountTables } from "../tables.ts";
import { lockUser } from "../users/users.ts";

export type Invitations = {
  create(ownerId: string, note: string): Promise<{ invitation: Invitation; token: string }>;
  /** Newest first. */
  list(): Promise<Invitation[]>;
  /** False: there is no invitation with this id. */
  revoke(id: string): Promise<boolean>;
  check(token: string): Promise<OpenInvitation | "ended" | "unknown">;
};

/** Links that each let one person create an account. Anybody with the link can use it; the table holds only hashes. */
export function createInvitations({ durable }: Database<AccountTables>, now: Clock): Invitations {
  return {
    async create(ownerId, note) {
      const nowMs = now();
      const token = newSecret("inv_");
      const row = {
        id: randomUUID(),
        note,
        created_at_ms: nowMs,
        expires_at_ms: nowMs + ACCOUNT_LIMITS.invitationLifeMs,
        used_by: null,
      };
      await durable.transaction().execute(async (transaction) => {
        await makeRoom(transaction, ownerId, nowMs);
        await transaction
          .insertInto("invitations")
          .values({ ...row, created_by: ownerId, token_hash: hashSecret(token) })
          .execute();
      });
      return { invitation: toWire(row), token };
    },
    async list() {
      const rows = await durable
        .selectFrom("invitations")
        .select(["id", "note", "created_at_ms", "expires_at_ms", "used_by"])
        .orderBy("created_at_ms", "desc")
        .orderBy("id")
        .limit(ACCOUNT_LIMITS.maxListedInvitations)
        .execute();
      return rows.map(toWire);
    },
    async revoke(id) {
      const { numDeletedRows } = await durable.deleteFrom("invitations").where("id", "=", id).executeTakeFirstOrThrow();
      return numDeletedRows > 0n;
    },
    async check(token) {
      const row = await durable
        .selectFrom("invitations")
        .innerJoin("users", "users.id", "invitations.created_by")
        .select(["users.name", "expires_at_ms", "used_by"])
        .where("token_hash", "=", hashSecret(token))
        .executeTakeFirst();
      if (!row) return "unknown";
      if (row.used_by !== null || row.expires_at_ms <= now()) return "ended";
      return { invited_by: row.name, expires_at: new Date(row.expires_at_ms).toISOString() };
    },
  };
}

/** Exactly one of several concurrent uses of an invitation returns true, unless its transaction is rolled back. */
export async function useInvitation(
  transaction: Transaction<AccountTables>,
  token: string,
  name: string,
  nowMs: number,
): Promise<boolean> {
  const { numUpdatedRows } = await transaction
    .updateTable("invitations")
    .set({ used_by: name })
    .where("token_hash", "=", hashSecret(token))
    .where("used_by", "is", null)
    .where("expires_at_ms", ">", nowMs)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

async function makeRoom(transaction: Transaction<AccountTables>, ownerId: string, nowMs: number): Promise<void> {
  await lockUser(transaction, ownerId);
  await transaction
    .deleteFrom("invitations")
    .where("expires_at_ms", "<", nowMs - ACCOUNT_LIMITS.endedInvitationMemoryMs)
    .execute();
  const { open } = await transaction
    .selectFrom("invitations")
    .select((e) => e.fn.countAll<number>().as("open"))
    .where("used_by", "is", null)
    .where("expires_at_ms", ">", nowMs)
    .executeTakeFirstOrThrow();
  if (open >= ACCOUNT_LIMITS.maxOpenInvitations) {
    throw new Problem("too-many-of-these", {
      detail: `${ACCOUNT_LIMITS.maxOpenInvitations} invitations are open. Revoke one first.`,
    });
  }
}

type Row = Pick<AccountTables["invitations"], "id" | "note" | "created_at_ms" | "expires_at_ms" | "used_by">;

const toWire = ({ id, note, created_at_ms, expires_at_ms, used_by }: Row): Invitation => ({
  id,
  note,
  created_at: new Date(created_at_ms).toISOString(),
  expires_at: new Date(expires_at_ms).toISOString(),
  used_by,
});

export type InvitationRoutes = {
  invitations: Invitations;
  whoIsCalling: WhoIsCalling;
  database: Database<AccountTables>;
  /** Where people reach the pages, without a trailing slash. */
  authUrl: string;
  limiter: RateLimiter;
};

const tags = ["accounts"];

export function serveInvitations(app: App, { invitations, authUrl, limiter, ...access }: InvitationRoutes): void {
  app.post(
    "/auth/invitations",
    {
      ...CHANGING,
      schema: {
        tags,
        summary: "Create an invitation: a link for one new account",
        access: "instance-owner",
        problems: ["too-many-of-these"],
        body: CreateInvitation,
        response: { 201: NewInvitation },
      },
    },
    async (request, reply) => {
      const { userId } = await requireInstanceOwner(access, request);
      const { invitation, token } = await invitations.create(userId, request.body.note ?? "");
      reply.code(201);
      // After the # it stays in the browser: no server or log on the way sees it.
      return { ...invitation, url: `${authUrl}/auth/join#${token}` };
    },
  );

  app.get(
    "/auth/invitations",
    {
      ...READING,
      schema: {
        tags,
        summary: "List invitations and whether they were used",
        access: "instance-owner",
        response: { 200: Type.Object({ invitations: Type.Array(Invitation) }) },
      },
    },
    async (request) => {
      await requireInstanceOwner(access, request);
      return { invitations: await invitations.list() };
    },
  );

  app.delete(
    "/auth/invitations/:id",
    {
      ...CHANGING,
      schema: {
        tags,
        summary: "Revoke an invitation",
        access: "instance-owner",
        problems: ["not-found"],
        params: Type.Object({ id: Type.String({ format: "uuid" }) }),
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      await requireInstanceOwner(access, request);
      const revoked = await invitations.revoke(request.params.id);
      if (!revoked) throw new Problem("not-found", { detail: "There is no such invitation." });
      return reply.code(204).send(null);
    },
  );

  app.post(
    "/auth/invitations/check",
    {
      ...READING,
      bodyLimit: CHANGING.bodyLimit,
      onRequest: [...READING.onRequest, limitRate(limiter, ({ ip }) => callerKey(ip))],
      schema: {
        tags,
        summary: "Check whether an invitation is open, and who sent it",
        problems: ["not-found", "invitation-ended", "too-many-requests"],
        body: CheckInvitation,
        response: { 200: OpenInvitation },
      },
    },
    async (request) => {
      const found = await invitations.check(request.body.invitation);
      if (found === "unknown") throw new Problem("not-found", { detail: "There is no such invitation." });
      if (found === "ended") throw new Problem("invitation-ended", { detail: "Ask for a new one." });
      return found;
    },
  );
}
