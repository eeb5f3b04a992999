import { chmod, readFile, writeFile } from "node:fs/promises";
import { EXIT } from "@backplane/contract/problems";
import { newSigningKey, publicKeyOf, readSigningKey, type SigningKey } from "@backplane/registry/authoring";
import { ManagerFault } from "@backplane/registry/manager";
import { rotateRegistryKey } from "@backplane/sdk";
import { tellingCalls } from "../calls/telling-calls.ts";
import { tell } from "../connect/refusal.ts";
import type { PlaceOptions } from "../login/options.ts";
import { withSession } from "../login/with-session.ts";
import { openTerminal } from "../terminal.ts";
import type { PkgOptions } from "./options.ts";
import { PKG_EXITS } from "./outcomes.ts";
import { withManager } from "./with-manager.ts";
import { plain } from "./words.ts";

type Host = NodeJS.Process;

const OWNER_ONLY = 0o600;
const MAX_KEY_BYTES = 4_096;

export const listKeys = (host: Host, options: PkgOptions): Promise<number> =>
  withManager(host, options, async ({ manager, answer, out }) => {
    const trusted = await manager.trustedKeys();
    answer({ repositories: trusted }, () => {
      if (trusted.length === 0) out.line("No repository that is signed was read yet.");
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
      out.line(`The keys of ${plain(forgotten.name)} are forgotten. The next visit believes the keys that it finds.`),
    );
    return EXIT.done;
  });

/** Replaces the key of a Backplane's index, in two steps: clients get to know the next one before it signs alone. */
export const rotateKey = (host: Host, options: PlaceOptions & { promote?: boolean }): Promise<number> =>
  withSession(host, options, (session) =>
    tellingCalls(session.baseUrl, PKG_EXITS, async () => {
      const { promote = false, json = false } = options;
      const keys = await rotateRegistryKey({ ...session, promote });
      const out = openTerminal(host.stdout);
      if (json) out.line(JSON.stringify({ keys }));
      else {
        for (const { id, state } of keys) out.line(`  ${id}  ${state}`);
        out.line(
          promote
            ? "The next key signs now. The one before it signs along for 90 days, for clients that come rarely."
            : "The next key is announced, and both sign. Once clients had time to come by: backplane pkg keys rotate --promote",
        );
      }
      return undefined;
    }),
  );

/** Makes a key to sign repositories with that are built or mirrored. It is never printed. */
export async function newKey(host: Host, file: string, { json = false }: PkgOptions): Promise<number> {
  const key = newSigningKey();
  try {
    await writeFile(file, `${JSON.stringify(key)}\n`, { flag: "wx", mode: OWNER_ONLY });
    await chmod(file, OWNER_ONLY);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const why = code === "EEXIST" ? "is there already, and a key is never overwritten" : `cannot be written (${code})`;
    return tell(host, json, { code: "bad-file", message: `${file} ${why}.`, exit: EXIT.usage });
  }
  const out = openTerminal(host.stdout);
  if (json) out.line(JSON.stringify({ file, key: publicKeyOf(key) }));
  else {
    out.line(`${file} holds the new key ${key.id}, readable by you only. Keep it out of repositories.`);
    out.line(`Sign with it: backplane pkg build … --key ${file}`);
  }
  return EXIT.done;
}

/** What is wrong with the file is not said in detail: its text is a secret. */
export async function loadSigningKey(file: string): Promise<SigningKey> {
  const unusable = (why: string) =>
    new ManagerFault("bad-file", `${file} ${why}. Make a key with: backplane pkg keys new <file>`);
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    throw unusable(`cannot be read (${error.code})`);
  });
  const key = text.length > MAX_KEY_BYTES ? undefined : readSigningKey(parsed(text));
  if (!key) throw unusable("is no signing key");
  return key;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
