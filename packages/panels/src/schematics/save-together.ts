import { createHash } from "node:crypto";
import { Problem } from "@backplane/kit/problems";
import { expectPath } from "../files/file-path.ts";
import { removeFile } from "../files/files.ts";
import type { OneWriter } from "../files/one-writer.ts";
import { refuseMore } from "../files/routes.ts";
import type { Services, Workspace } from "../services.ts";
import { readProjectText } from "./project-text.ts";

/** A file as it shall be. */
export type Change = {
  path: string;
  text: string;
  /** Of the file that was read; undefined: there was none. */
  etag: string | undefined;
};

type Found = Awaited<ReturnType<typeof readProjectText>>;

/**
 * Saves several files in one step: each must still be as it was read, and if one cannot be written, those before it are put back.
 * Resolves to the ETags of all, in their order. Only the end of this process in between leaves some of them changed.
 */
export function createSaveTogether({ files, usage }: Pick<Services, "files" | "usage">, oneWriter: OneWriter) {
  async function write(workspace: Workspace, path: string, text: string, before: Found): Promise<string> {
    const bytes = Buffer.from(text);
    const more = bytes.length - (before?.size ?? 0);
    const folder = files.folderOf(workspace);
    if (before === undefined || more > 0) await refuseMore(folder, { files: before ? 0 : 1, bytes: more });
    await usage.changing(workspace.ownerId, more, () => files.write(workspace, path, bytes));
    return `"${createHash("sha256").update(bytes).digest("hex")}"`;
  }

  async function putBack(workspace: Workspace, path: string, now: string, before: Found): Promise<void> {
    const less = Buffer.byteLength(now) - (before?.size ?? 0);
    await usage.changing(workspace.ownerId, -less, () =>
      before
        ? files.write(workspace, path, Buffer.from(before.text))
        : removeFile(files.folderOf(workspace), path).then(() => {}),
    );
  }

  return (workspace: Workspace, given: readonly Change[]): Promise<string[]> => {
    const changes = given.map((change) => ({ ...change, path: expectPath(change.path).path }));
    return claimAll(oneWriter, files.folderOf(workspace), changes, async () => {
      const found = await Promise.all(changes.map(({ path }) => readProjectText(files, workspace, path)));
      const other = changes.find(({ etag }, at) => etag !== found[at]?.etag);
      if (other)
        throw new Problem("file-changed", { detail: `Somebody else has changed ${other.path}. Read it again.` });
      const etags: string[] = [];
      try {
        for (const [at, { path, text }] of changes.entries()) etags.push(await write(workspace, path, text, found[at]));
      } catch (error) {
        for (const [at, { path, text }] of changes.slice(0, etags.length).entries())
          await putBack(workspace, path, text, found[at]);
        throw error;
      }
      return etags;
    });
  };
}

/** In one order for everybody, so that no two wait for each other. Names that differ only in case are one claim. */
function claimAll<T>(
  oneWriter: OneWriter,
  folder: string,
  changes: readonly Change[],
  work: () => Promise<T>,
): Promise<T> {
  const [first, ...rest] = [...new Set(changes.map(({ path }) => path.toLowerCase()))].sort();
  const claim = (path: string | undefined, others: readonly string[]): Promise<T> =>
    path === undefined ? work() : oneWriter(folder, path, () => claim(others[0], others.slice(1)));
  return claim(first, rest);
}
