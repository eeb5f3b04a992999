import { randomUUID } from "node:crypto";
import { ACCOUNT_LIMITS, type Invitation, type OpenInvitation } from "@backplane/contract/accounts";
import type { Clock } from "@backplane/kit/clock";
import type { Database } from "@backplane/kit/database";
import { Problem } from "@backplane/kit/problems";
import { hashSecret, newSecret } from "@backplane/kit/secrets";
import type { Transaction } from "kysely";
import type { AccountTables } from "../tables.ts";
import { lockUser } from "../users/users.ts";

export type Invitations = {
  create(ownerId: string, note: string): Promise<{ invitation: Invitation; token: string }>;
  /** Newest first. */
  list(): Promise<Invitation[]>;
  /** False: there is none with this id. */
  revoke(id: string): Promise<boolean>;
  check(token: string): Promise<OpenInvitation | "ended" | "unknown">;
};

/** By link, single use. Whoever has the link may join; the table holds only hashes. */
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
      return { invitation: describe(row), token };
    },
    async list() {
      const rows = await durable
        .selectFrom("invitations")
        .select(["id", "note", "created_at_ms", "expires_at_ms", "used_by"])
        .orderBy("created_at_ms", "desc")
        .orderBy("id")
        .limit(ACCOUNT_LIMITS.maxListedInvitations)
        .execute();
      return rows.map(describe);
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

/** Of any number of concurrent uses of one invitation exactly one is true, until its transaction is rolled back. */
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

const describe = ({ id, note, created_at_ms, expires_at_ms, used_by }: Row): Invitation => ({
  id,
  note,
  created_at: new Date(created_at_ms).toISOString(),
  expires_at: new Date(expires_at_ms).toISOString(),
  used_by,
});
