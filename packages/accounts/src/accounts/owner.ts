import { randomInt, randomUUID } from "node:crypto";
import { linkSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ALL_SCOPES } from "@backplane/contract/accounts";
import type { Clock } from "@backplane/kit/clock";
import { type Database, isUniqueViolation } from "@backplane/kit/database";
import { makePrivateFolder } from "@backplane/kit/folder";
import { hashSecret, newSecret } from "@backplane/kit/secrets";
import { hintOf } from "../api-keys/store.ts";
import type { AccountTables } from "../tables.ts";
import { foldName } from "../users/names.ts";
import { hashPassword } from "../users/passwords.ts";

/** The content of owner.json. It is written at the first start and never changed afterwards. */
export type OwnerCredentials = { name: string; email: string; password: string; api_key: string };

export type FirstStart = {
  database: Database<AccountTables>;
  home: string;
  name: string;
  /** Generated when absent. */
  password: string | undefined;
  now: Clock;
};

/**
 * Creates the owner's account and first API key, once. The file is written before the account, so that a crash in between
 * does not lose the credentials: the next start continues with the file. Returns whether this call created the account.
 */
export async function ensureOwner({ database, home, name, password, now }: FirstStart): Promise<boolean> {
  if (await hasOwner(database)) return false;
  makePrivateFolder(home);
  const path = join(home, "owner.json");
  const fresh = { name, email: `${name}@localhost`, password: password ?? newPassword(), api_key: newSecret("bpk_") };
  const wrote = writeOnce(path, fresh);
  const owner = wrote ? fresh : readOwner(path);
  try {
    await insertOwner(database, owner, await hashPassword(owner.password), now());
    return true;
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    // Another instance, with its own home folder, was first: the credentials that we wrote are useless.
    if (wrote) rmSync(path);
    return false;
  }
}

async function hasOwner({ durable }: Database<AccountTables>): Promise<boolean> {
  const owner = await durable.selectFrom("users").select("id").where("is_owner", "=", 1).executeTakeFirst();
  return owner !== undefined;
}

/** The owner and the first key in one transaction. Fails with a unique violation when there is an owner. */
async function insertOwner(
  { durable }: Database<AccountTables>,
  { name, email, api_key }: OwnerCredentials,
  passwordHash: string,
  nowMs: number,
): Promise<void> {
  const id = randomUUID();
  await durable.transaction().execute(async (transaction) => {
    await transaction
      .insertInto("users")
      .values({ id, name, display_name: "", email, password_hash: passwordHash, is_owner: 1, created_at_ms: nowMs })
      .execute();
    await transaction
      .insertInto("owner_names")
      .values({ name: foldName(name), user_id: id, organisation_id: null })
      .execute();
    await transaction
      .insertInto("api_keys")
      .values({
        id: randomUUID(),
        user_id: id,
        name: "first start",
        key_hash: hashSecret(api_key),
        hint: hintOf(api_key),
        scopes: ALL_SCOPES.join(","),
        created_at_ms: nowMs,
        last_used_at_ms: null,
      })
      .execute();
  });
}

/** Writes the whole file or nothing, and never replaces an existing one. */
function writeOnce(path: string, owner: OwnerCredentials): boolean {
  const temporary = `${path}.${process.pid}`;
  writeFileSync(temporary, `${JSON.stringify(owner, undefined, 2)}\n`, { mode: 0o600, flush: true });
  try {
    linkSync(temporary, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  } finally {
    rmSync(temporary);
  }
}

function readOwner(path: string): OwnerCredentials {
  const { name, email, password, api_key } = parseOwner(readFileSync(path, "utf8"));
  if (!name || !email || !password || !api_key) {
    throw new Error(`${path} is damaged. There is no owner account yet: remove the file and start again.`);
  }
  return { name, email, password, api_key };
}

function parseOwner(text: string): Partial<OwnerCredentials> {
  try {
    return JSON.parse(text) as Partial<OwnerCredentials>;
  } catch {
    // The parser's message would quote the text, including the password.
    return {};
  }
}

// No 0 O 1 l I: people type this once, from a terminal.
const PASSWORD_ALPHABET = "abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789";
const PASSWORD_GROUPS = 4;
const GROUP_CHARACTERS = 5;

/** Four groups of five: 116 bits, and readable. */
function newPassword(): string {
  const character = () => PASSWORD_ALPHABET[randomInt(PASSWORD_ALPHABET.length)];
  const group = () => Array.from({ length: GROUP_CHARACTERS }, character).join("");
  return Array.from({ length: PASSWORD_GROUPS }, group).join("-");
}
