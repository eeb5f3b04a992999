import { randomInt, randomUUID } from "node:crypto";
import { linkSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Clock } from "@backplane/kit/clock";
import { isUniqueViolation } from "@backplane/kit/database";
import { makePrivateFolder } from "@backplane/kit/folder";
import { hashSecret, newSecret } from "@backplane/kit/secrets";
import { hintOf } from "../api-keys/hint.ts";
import { hashPassword } from "../users/passwords.ts";
import type { AccountStore } from "./store.ts";

/** owner.json: what the first start made. A later start never rewrites it. */
export type OwnerCredentials = { name: string; email: string; password: string; api_key: string };

export type FirstStart = {
  store: AccountStore;
  home: string;
  name: string;
  /** Made up when absent. */
  password: string | undefined;
  now: Clock;
};

/**
 * Makes the owner's account and first key, once. The file is written before the account, so that no crash in between
 * loses the credentials: the next start finds the file and goes on with it. Returns whether this call made the account.
 */
export async function ensureOwner({ store, home, name, password, now }: FirstStart): Promise<boolean> {
  if (await store.hasOwner()) return false;
  makePrivateFolder(home);
  const path = join(home, "owner.json");
  const fresh = { name, email: `${name}@localhost`, password: password ?? newPassword(), api_key: newSecret("bpk_") };
  const wrote = writeOnce(path, fresh);
  const owner = wrote ? fresh : readOwner(path);
  try {
    await store.insertOwner(
      {
        id: randomUUID(),
        name: owner.name,
        email: owner.email,
        passwordHash: await hashPassword(owner.password),
        keyId: randomUUID(),
        keyHash: hashSecret(owner.api_key),
        keyHint: hintOf(owner.api_key),
      },
      now(),
    );
    return true;
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    // Another instance, with a home of its own, was first: what we wrote opens nothing.
    if (wrote) rmSync(path);
    return false;
  }
}

/** Whole or not at all, and never over an existing file. */
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
    // The parser's own message quotes the text, and with it the password.
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
