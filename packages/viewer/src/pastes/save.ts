import { basename, dirname, join } from "node:path";
import type { Paste } from "@backplane/contract/viewer";
import type { PasteFileName, Prepared, Upload } from "../services.ts";
import { publishSaving, settle } from "./settle.ts";
import { diskProblem } from "./storage/disk.ts";
import { firstName, newId } from "./storage/file-names.ts";
import { fileAt, type Pair, unlinkIfExists } from "./storage/pair.ts";
import { type PasteRecord, toPaste, withoutText } from "./storage/record.ts";
import type { Store } from "./store.ts";

/** Saves the two files made from an upload as a new screenshot, under its first name. */
export async function savePaste(
  store: Store,
  upload: Upload,
  prepared: Prepared,
  random: (bytes: number) => Uint8Array,
): Promise<Paste> {
  const from: Pair = { optimized: prepared.optimized.path, original: prepared.original.path };
  let record: PasteRecord | undefined;
  let saved: PasteRecord;
  try {
    for (const path of new Set([from.optimized, from.original])) await store.disk.flushFile(path);
    record = await newRecord(store, upload, prepared, random);
    saved = await publishSaving(store, record, from);
  } catch (error) {
    const done = await undoUnlessSaved(store, record, [upload.path, from.optimized, from.original]);
    if (!done) throw diskProblem(error);
    saved = done;
  }
  const paste = toPaste(saved);
  for (const path of new Set([upload.path, from.optimized, from.original])) await dropIncoming(store, path);
  store.emit({ type: "paste", paste });
  return paste;
}

async function newRecord(
  { folder, limits, index }: Store,
  upload: Upload,
  prepared: Prepared,
  random: (bytes: number) => Uint8Array,
): Promise<PasteRecord> {
  const { receivedAtMs } = upload;
  let id = newId(receivedAtMs, random);
  while (index.get(id)) id = newId(receivedAtMs, random);
  const facts = async (file: PasteFileName) => {
    const { path, width, height } = prepared[file];
    const id = await fileAt(path);
    if (!id || dirname(path) !== folder.incoming) throw new Error(`The ${file} file is not in the incoming folder.`);
    return { width, height, ...id };
  };
  const name = firstName(receivedAtMs);
  return {
    version: 1,
    id,
    name,
    base: name,
    namedBy: null,
    status: "naming",
    suggestions: [],
    text: null,
    optimized: await facts("optimized"),
    original: await facts("original"),
    pasted: { type: prepared.type, bytes: upload.bytes },
    receivedAtMs,
    namedAfterMs: null,
    title: upload.title?.slice(0, limits.maxTitleCharacters) ?? null,
    instance: upload.instance?.slice(0, limits.maxInstanceCharacters) ?? null,
    isSqueezed: false,
    saving: {
      upload: basename(upload.path),
      optimized: basename(prepared.optimized.path),
      original: basename(prepared.original.path),
    },
  };
}

/** Returns the record if the screenshot was saved: a disk may fail in the last flush, after everything is done. */
async function undoUnlessSaved(store: Store, record: PasteRecord | undefined, incoming: readonly string[]) {
  try {
    const written = record && (await store.records.read(record.id));
    if (written && !written.saving) {
      store.index.set(withoutText(written));
      return written;
    }
    if (written) await settle(store, written, "undo");
    for (const path of new Set(incoming)) await dropIncoming(store, path);
  } catch (error) {
    store.log?.warn(
      { err: error, paste: record?.id },
      "The files of a failed upload will be deleted at the next start.",
    );
  }
  return undefined;
}

/** If it fails, the next start deletes the file. */
export async function dropIncoming({ disk, folder }: Store, path: string): Promise<void> {
  if (dirname(path) === folder.incoming)
    await unlinkIfExists(disk, join(folder.incoming, basename(path))).catch(() => {});
}
