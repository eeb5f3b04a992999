import { chmod, readFile, writeFile } from "node:fs/promises";
import { EXIT } from "@backplane/contract/problems";
import { newSigningKey, publicKeyOf, readSigningKey, type SigningKey } from "@backplane/registry/authoring";
import { ManagerFault } from "@backplane/registry/manager";
import { refuse } from "../refusal.ts";
import { runCommand } from "../run.ts";
import { plain } from "../text.ts";
import type { PkgOptions } from "./place.ts";
import { withManager } from "./with-manager.ts";

type Host = NodeJS.Process;

const OWNER_ONLY = 0o600;
const MAX_KEY_BYTES = 4_096;

export const listKeys = (host: Host, options: PkgOptions): Promise<number> =>
  withManager(host, options, async ({ manager, answer, out }) => {
    const trusted = await manager.trustedKeys();
    answer({ repositories: trusted }, () => {
      if (trusted.length === 0) out.line("No signed repository has been read yet.");
      for (const { repository, keys, counter } of trusted) {
        out.line(`${plain(repository.name)}  ${out.paint("off", plain(repository.url))}`);
        for (const { id } of keys) out.line(`  ${id}`);
        out.line(`  newest index seen: ${counter}`);
      }
    });
    return EXIT.done;
  });

export const forgetKeys = (host: Host, repository: string, options: PkgOptions): Promise<number> =>
  withManager(host, options, async ({ manager, answer, out }) => {
    const forgotten = await manager.forgetKeys(repository);
    answer(forgotten, () =>
      out.line(`The keys of ${plain(forgotten.name)} are forgotten. The next refresh trusts the keys that it finds.`),
    );
    return EXIT.done;
  });

/** Makes a key that signs repositories which are built or mirrored. It is never printed. */
export const newKey = (host: Host, file: string, options: PkgOptions): Promise<number> =>
  runCommand(host, options, async ({ answer, out }) => {
    const key = newSigningKey();
    try {
      await writeFile(file, `${JSON.stringify(key)}\n`, { flag: "wx", mode: OWNER_ONLY });
      await chmod(file, OWNER_ONLY);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      const why = code === "EEXIST" ? "already exists, and a key is never overwritten" : `cannot be written (${code})`;
      return refuse("bad-file", `${file} ${why}.`);
    }
    answer({ file, key: publicKeyOf(key) }, () => {
      out.line(`${file} contains the new key ${key.id}, readable by you only. Keep it out of repositories.`);
      out.hint(`Sign with it: backplane pkg build … --key ${file}`);
    });
    return undefined;
  });

/** Errors do not say what is wrong with the file: its content is a secret. */
export async function loadSigningKey(file: string): Promise<SigningKey> {
  const unusable = (why: string) =>
    new ManagerFault("bad-file", `${file} ${why}. Make a key with: backplane pkg keys new <file>`);
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    throw unusable(`cannot be read (${error.code})`);
  });
  const key = text.length > MAX_KEY_BYTES ? undefined : readSigningKey(parsed(text));
  if (!key) throw unusable("is not a signing key");
  return key;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
