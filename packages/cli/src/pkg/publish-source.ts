import { openAsBlob } from "node:fs";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { EXIT } from "@backplane/contract/problems";
import { packFolder } from "@backplane/registry/authoring";
import { badInput, type Refusal } from "../connect/refusal.ts";
import { plain } from "./words.ts";

export type Source = AsyncDisposable & {
  /** What to call it. */
  file: string;
  archive: Blob;
};

/** An archive as it is; a folder, packed for as long as it takes. */
export async function openSource(given: string): Promise<Source | (Refusal & AsyncDisposable)> {
  await using stack = new AsyncDisposableStack();
  let file = given;
  try {
    if ((await stat(given)).isDirectory()) {
      const scratch = await mkdtemp(join(tmpdir(), "backplane-publish-"));
      stack.defer(() => rm(scratch, { recursive: true, force: true }));
      file = join(scratch, `${basename(resolve(given))}.zip`);
      const packed = await packFolder(given, file);
      if ("refusal" in packed) {
        const { message, path } = packed.refusal;
        const where = path === undefined ? "" : `${path}: `;
        return closed({ code: "archive-refused", message: plain(`${where}${message}`), exit: EXIT.failed });
      }
    }
    const archive = await openAsBlob(file, { type: "application/zip" });
    const kept = stack.move();
    return { file: basename(file), archive, [Symbol.asyncDispose]: () => kept.disposeAsync() };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return closed(badInput("bad-file", `${given} cannot be read (${code}).\nCheck the path.`));
  }
}

const closed = (refusal: Refusal): Refusal & AsyncDisposable => ({ ...refusal, async [Symbol.asyncDispose]() {} });
