import { createHash } from "node:crypto";
import { join } from "node:path";
import { writeFileAtomically } from "@backplane/kit/atomic-file";
import { isRecord } from "../../values.ts";
import { ManagerFault } from "../faults.ts";
import type { RepositoryName } from "../manager-types.ts";
import { DAMAGED, PRIVATE, readJson } from "./json-file.ts";

const NAME = /^[^\s:@/\p{Cc}\p{Cf}][^:@/\p{Cc}\p{Cf}\p{Zl}\p{Zp}]{0,99}$/u;

/** The same as in KiCad, so that each recognises what the other installed. */
export const repositoryId = (url: string): string => createHash("sha256").update(url).digest("hex").slice(0, 16);

/** The repositories of an installation, in order. */
export type Configured = {
  all(): Promise<RepositoryName[]>;
  put(repositories: readonly RepositoryName[]): Promise<void>;
};

export function openConfigured(stateFolder: string): Configured {
  const file = join(stateFolder, "repositories.json");
  return {
    all: async () => {
      const value = await readJson(file);
      if (value === undefined) return [];
      const list = isRecord(value) && Array.isArray(value.repositories) ? value.repositories : undefined;
      const repositories = list?.map(asRepository);
      // The next change rewrites the file, so entries that cannot be read would be lost.
      if (repositories?.every((each) => each !== undefined)) return repositories;
      const how = value === DAMAGED ? "cannot be read as JSON" : "is not a list of repositories";
      throw new ManagerFault("bad-file", `${file} ${how}. Fix it, or delete it and add the repositories again.`);
    },
    put: async (repositories) => {
      const kept = repositories.map(({ name, url }) => ({ name, url }));
      await writeFileAtomically(file, `${JSON.stringify({ repositories: kept }, undefined, 2)}\n`, PRIVATE);
    },
  };
}

function asRepository(entry: unknown): RepositoryName | undefined {
  if (!isRecord(entry) || typeof entry.name !== "string" || typeof entry.url !== "string") return undefined;
  return URL.canParse(entry.url) ? { id: repositoryId(entry.url), name: entry.name, url: entry.url } : undefined;
}

/** By id, name or address. */
export function findRepository<Each extends RepositoryName>(repositories: readonly Each[], wanted: string): Each {
  const found =
    repositories.find(({ id, url }) => id === wanted || url === wanted) ??
    repositories.find(({ name }) => name === wanted) ??
    repositories.find(({ name }) => name.toLowerCase() === wanted.toLowerCase());
  if (found) return found;
  const known = repositories.map(({ name }) => name).join(", ");
  throw new ManagerFault(
    "repository-unknown",
    `There is no repository "${wanted}". ${known ? `Configured: ${known}.` : "None is configured."}`,
  );
}

/** Throws unless this is the address of a repository that can be stored. */
export function checkAddress(url: string): URL {
  const parsed = URL.parse(url);
  if (parsed === null || !["http:", "https:", "file:"].includes(parsed.protocol)) {
    throw new ManagerFault(
      "bad-url",
      `"${url}" is not the address of a repository. Give one with http, https or file.`,
    );
  }
  if (parsed.username || parsed.password) {
    throw new ManagerFault(
      "bad-url",
      "The address contains a user name or password, which would be stored. Leave it out and sign in instead.",
    );
  }
  return parsed;
}

/** The requested name, or else the repository's own name, made unique. */
export function nameFor(own: string, asked: string | undefined, taken: readonly RepositoryName[]): string {
  const isTaken = (name: string) => taken.some((other) => other.name.toLowerCase() === name.toLowerCase());
  if (asked !== undefined) {
    if (!NAME.test(asked)) {
      throw new ManagerFault("bad-spec", `"${asked}" cannot be a repository's name. Leave out : @ and /.`);
    }
    if (isTaken(asked)) {
      throw new ManagerFault("repository-exists", `There is a repository "${asked}". Give another name.`);
    }
    return asked;
  }
  const plain =
    own
      .replace(/[:@/\s\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ")
      .trim()
      .slice(0, 90) || "repository";
  let name = plain;
  for (let number = 2; isTaken(name); number += 1) name = `${plain} ${number}`;
  return name;
}
