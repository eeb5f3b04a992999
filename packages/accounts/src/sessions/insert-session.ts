import { randomUUID } from "node:crypto";
import { hashSecret, newSecret } from "@backplane/kit/secrets";
import type { Kysely } from "kysely";
import type { AccountTables } from "../tables.ts";

export type NewSession = {
  userId: string;
  kind: "Browser" | "Application";
  name: string;
  program: string | null;
  address: string;
  maxAgeS: number;
};

/** Makes a session, also inside another's transaction. Its token exists only in what is returned. */
export async function insertSession(
  db: Kysely<AccountTables>,
  { userId, kind, name, program, address, maxAgeS }: NewSession,
  nowMs: number,
): Promise<{ id: string; token: string; expiresAtMs: number }> {
  const id = randomUUID();
  const token = newSecret("tok_");
  const expiresAtMs = nowMs + maxAgeS * 1_000;
  await db
    .insertInto("sessions")
    .values({
      id,
      user_id: userId,
      kind,
      token_hash: hashSecret(token),
      name,
      program,
      address,
      created_at_ms: nowMs,
      last_used_at_ms: nowMs,
      expires_at_ms: expiresAtMs,
      refused_address: null,
      refused_at_ms: null,
    })
    .execute();
  return { id, token, expiresAtMs };
}
