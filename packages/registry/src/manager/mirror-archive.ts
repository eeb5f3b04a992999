import { mkdir, rename, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import type { PackageVersion } from "@backplane/contract/registry";
import type { Archive } from "../archives/archive.ts";
import { inspectArchive } from "../archives/inspect.ts";
import type { Context } from "./context.ts";
import { ManagerFault } from "./manager-fault.ts";
import { download } from "./repositories/download.ts";
import { type WantedArchive, wantedArchive, whyWrong } from "./repositories/wanted-archive.ts";

export type Copied = { archive: Archive; size: number; isFetched: boolean };

/** To `file`, unless it is there with the right hash. */
export async function copyArchive(
  context: Context,
  identifier: string,
  version: PackageVersion,
  repositoryUrl: string,
  file: string,
): Promise<Copied> {
  const wanted = wantedArchive(identifier, version, repositoryUrl);
  if (await stat(file).catch(() => undefined)) {
    const present = await inspect(context, file, wanted.what);
    const isRight = present.sha256 === wanted.sha256 && (wanted.size === undefined || wanted.size === present.size);
    if (isRight && "archive" in present) return { ...present, isFetched: false };
  }
  await mkdir(dirname(file), { recursive: true });
  await fetchTo(context, wanted, `${file}.part`, true);
  const fetched = await inspect(context, `${file}.part`, wanted.what);
  if ("refusal" in fetched) {
    await rm(`${file}.part`, { force: true });
    throw fetched.refusal;
  }
  await rename(`${file}.part`, file);
  return { ...fetched, isFetched: true };
}

async function inspect(context: Context, file: string, what: string) {
  const inspected = await inspectArchive(file, context.signal ? { signal: context.signal } : {});
  if ("archive" in inspected) return inspected;
  const { reason, message } = inspected.refusal;
  const refusal = new ManagerFault("archive-refused", `The archive of ${what} is refused (${reason}): ${message}`, {
    reason,
  });
  return { refusal, sha256: undefined, size: 0 };
}

async function fetchTo(context: Context, wanted: WantedArchive, part: string, mayResume: boolean): Promise<void> {
  const { transport, onProgress } = context;
  const { identifier, what, url, size } = wanted;
  const got = await download(transport, url, part, {
    what,
    maxBytes: transport.limits.maxArchiveBytes,
    ...(size === undefined ? {} : { expectedBytes: size }),
    onProgress: (done, total) => onProgress({ kind: "download", identifier, done, total }),
  });
  const wrong = await whyWrong(wanted, got, part);
  if (!wrong) return;
  await rm(part, { force: true });
  if (!got.resumed || !mayResume) throw wrong;
  await fetchTo(context, wanted, part, false);
}
