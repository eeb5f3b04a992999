import { join } from "node:path";
import { writeFileAtomically } from "@backplane/kit/atomic-file";
import { isPublicKey } from "../../signing/keys.ts";
import type { TrustedIndex } from "../../signing/signed-index.ts";
import { isRecord } from "../../values.ts";
import { readJson } from "./json-file.ts";

/** Trusted keys per repository. Not in the cache, because clearing the cache must not reset trust. */
export type TrustStore = {
  /** Without keys if the stored file cannot be read. */
  of(repositoryId: string): Promise<TrustedIndex | undefined>;
  /** The file that stores it. */
  fileOf(repositoryId: string): string;
  /** Never goes back: of two concurrent calls, the higher counter stays. */
  remember(repositoryId: string, trust: TrustedIndex): Promise<void>;
  forget(repositoryId: string): Promise<void>;
};

/** `exclusively` keeps other processes from writing at the same time. */
export function openTrustStore(stateFolder: string, exclusively: <T>(act: () => Promise<T>) => Promise<T>): TrustStore {
  const fileOf = (repositoryId: string) => join(stateFolder, "trust", `${repositoryId}.json`);
  const read = async (repositoryId: string) => asTrust(await readJson(fileOf(repositoryId)));
  return {
    fileOf,
    of: async (repositoryId) => {
      const trust = await read(repositoryId);
      return trust === "forgotten" ? undefined : trust;
    },
    remember: (repositoryId, trust) =>
      exclusively(async () => {
        const known = await read(repositoryId);
        if (known !== undefined && known !== "forgotten" && known.counter > trust.counter) return;
        await writeFileAtomically(fileOf(repositoryId), `${JSON.stringify(trust, undefined, 2)}\n`);
      }),
    forget: (repositoryId) => exclusively(() => writeFileAtomically(fileOf(repositoryId), "{}\n")),
  };
}

/** A file that cannot be read must not reset trust, so it counts as trusting no key. */
const NO_KEYS: TrustedIndex = { name: "", brand: "", keys: [], counter: 0, statementSha256: "" };

function asTrust(value: unknown): TrustedIndex | "forgotten" | undefined {
  if (value === undefined) return undefined;
  if (isRecord(value) && Object.keys(value).length === 0) return "forgotten";
  if (!isRecord(value)) return NO_KEYS;
  const { name, brand, keys, counter, statementSha256 } = value;
  if (typeof name !== "string" || typeof brand !== "string" || typeof statementSha256 !== "string") return NO_KEYS;
  if (!Number.isSafeInteger(counter) || !Array.isArray(keys) || !keys.every(isPublicKey)) return NO_KEYS;
  return { name, brand, keys, counter: Number(counter), statementSha256 };
}
