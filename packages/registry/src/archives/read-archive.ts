import { isUtf8 } from "node:buffer";
import { createHash, hash } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import { PANEL_JSON, PANEL_PACKAGE_LIMITS } from "@backplane/contract/panels/package-limits";
import { ARCHIVE_LIMITS, type ArchiveLimits } from "@backplane/contract/registry/limits";
import { type Archive, type ArchiveFile, type ArchiveRefusal, orRefusal, refuse, type Screenshot } from "./archive.ts";
import { type ArchiveBytes, openBytes } from "./bytes.ts";
import { ICON_PATH, isInstalled, METADATA_PATH, SCREENSHOT_PATH } from "./check-entry.ts";
import { type Directory, readDirectory } from "./directory.ts";
import { pngSize } from "./png.ts";
import {
  contentOf,
  isSmall,
  MAX_DESCRIPTOR_BYTES,
  MAX_LOCAL_HEADER_BYTES,
  piecesOf,
  readDescriptor,
  readLocalHeader,
} from "./read-entry.ts";
import { type ListedEntry, METHODS } from "./zip-records.ts";

type Inspected = { archive: Archive; sha256: string; size: number } | { refusal: ArchiveRefusal };

/** What an archive on disk holds, or why it is refused. It is read in one pass; nothing is written. */
export const inspectArchive = (file: string, options: ReadOptions = {}): Promise<Inspected> =>
  orRefusal(() => readArchive(file, options));

/** The same for an archive in memory. */
export const inspectBytes = (bytes: Buffer, options: ReadOptions = {}): Promise<Inspected> =>
  orRefusal(() => readArchive(bytes, options));

export type ReadOptions = {
  limits?: Partial<ArchiveLimits>;
  signal?: AbortSignal;
  /** Archives up to this size are read into memory as a whole. */
  heldBytes?: number;
  /**
   * Such an archive is read into this memory, if it fits: new memory for each of many archives takes as long as reading
   * them. Only for one archive at a time; what is returned does not refer to it.
   */
  scratch?: Buffer;
};

/** Receives the installed files one after the other, each in pieces. */
export type Receiver = {
  start(installSize: number): Promise<void>;
  open(entry: ListedEntry): Promise<void>;
  write(piece: Buffer): Promise<void>;
  close(): Promise<void>;
};

/** After this many bytes, other work gets its turn. */
const TURN_BYTES = 4 * 1024 * 1024;

/** One pass over an archive with every check. What the receiver got is safe only when this has returned. */
export async function readArchive(
  source: string | Buffer,
  options: ReadOptions,
  receiver?: Receiver,
): Promise<{ archive: Archive; sha256: string; size: number }> {
  const limits = { ...ARCHIVE_LIMITS, ...options.limits };
  options.signal?.throwIfAborted();
  const bytes = await openBytes(source, limits.maxBytes, options);
  try {
    const directory = await readDirectory(bytes, limits);
    const installSize = installSizeOf(directory);
    await receiver?.start(installSize);
    const files: ArchiveFile[] = [];
    const kept = new Map<string, Buffer>();
    const screenshots = new Map<string, Screenshot>();
    let bytesInTurn = 0;
    for (const [index, entry] of directory.entries.entries()) {
      options.signal?.throwIfAborted();
      const nextAt = directory.entries[index + 1]?.offset ?? directory.offset;
      // Waiting costs more than reading a header, so wait only when necessary.
      const header = bytes.ready(MAX_LOCAL_HEADER_BYTES);
      if (header) await header;
      const local = readLocalHeader(bytes, entry, nextAt);
      const content = isSmall(entry) ? bytes.ready(entry.packedSize) : undefined;
      if (content) await content;
      const isWhole = isSmall(entry) && !(receiver && isInstalled(entry));
      const file = isWhole
        ? readWhole(bytes, entry, { kept, screenshots })
        : await readInPieces(bytes, entry, { kept, receiver, signal: options.signal });
      if (file) files.push(file);
      const descriptor = bytes.ready(MAX_DESCRIPTOR_BYTES);
      if (descriptor) await descriptor;
      readDescriptor(bytes, entry, nextAt, local);
      bytesInTurn += entry.size + entry.packedSize;
      if (bytesInTurn < TURN_BYTES) continue;
      bytesInTurn = 0;
      await nextTurn();
    }
    files.sort((a, b) => (a.path < b.path ? -1 : 1));
    const archive = { ...keptIn(kept), ...firstOf(screenshots), files, installSize };
    return { archive, sha256: await bytes.sha256(), size: bytes.size };
  } finally {
    await bytes.close();
  }
}

/** Refuses an archive whose directory lacks what must be there. */
function installSizeOf(directory: Directory): number {
  if (!directory.entries.some((entry) => entry.path === METADATA_PATH)) {
    refuse("metadata-missing", "There is no metadata.json at the top of the archive. Add it.");
  }
  const installed = directory.entries.filter(isInstalled);
  if (installed.length === 0) {
    refuse("nothing-to-install", "The archive has none of the folders that get installed. Add plugins or another one.");
  }
  return installed.reduce((sum, entry) => sum + entry.size, 0);
}

/** A larger one is refused for its size, which the directory says. */
const isPanel = ({ path, size }: ListedEntry): boolean =>
  path === PANEL_JSON && size <= 2 * PANEL_PACKAGE_LIMITS.maxManifestBytes;
const isKept = (entry: ListedEntry): boolean =>
  entry.path === METADATA_PATH || entry.path === ICON_PATH || isPanel(entry);

function readWhole(
  bytes: ArchiveBytes,
  entry: ListedEntry,
  { kept, screenshots }: { kept: Map<string, Buffer>; screenshots: Map<string, Screenshot> },
): ArchiveFile | undefined {
  const at = bytes.position;
  const content = contentOf(bytes, entry);
  const screenshot = SCREENSHOT_PATH.test(entry.path) ? screenshotOf(entry, at, content) : undefined;
  if (screenshot) screenshots.set(entry.path, screenshot);
  if (isKept(entry)) kept.set(entry.path, content);
  return isInstalled(entry)
    ? { path: entry.path, size: entry.size, sha256: hash("sha256", content, "hex") }
    : undefined;
}

async function readInPieces(
  bytes: ArchiveBytes,
  entry: ListedEntry,
  to: { kept: Map<string, Buffer>; receiver: Receiver | undefined; signal: AbortSignal | undefined },
): Promise<ArchiveFile | undefined> {
  const receiver = isInstalled(entry) ? to.receiver : undefined;
  const sum = createHash("sha256");
  const pieces: Buffer[] = [];
  await receiver?.open(entry);
  for await (const piece of isSmall(entry) ? [contentOf(bytes, entry)] : piecesOf(bytes, entry)) {
    to.signal?.throwIfAborted();
    sum.update(piece);
    if (isKept(entry)) pieces.push(piece);
    await receiver?.write(piece);
  }
  await receiver?.close();
  if (isKept(entry)) to.kept.set(entry.path, Buffer.concat(pieces));
  return isInstalled(entry) ? { path: entry.path, size: entry.size, sha256: sum.digest("hex") } : undefined;
}

/** By path, each picture once, as many as a page shows. */
function firstOf(screenshots: ReadonlyMap<string, Screenshot>): Pick<Archive, "screenshots"> {
  if (screenshots.size === 0) return {};
  const sorted = [...screenshots].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, screenshot]) => screenshot);
  const seen = new Set<string>();
  const once = sorted.filter(({ sha256 }) => !seen.has(sha256) && seen.add(sha256));
  return { screenshots: once.slice(0, ARCHIVE_LIMITS.maxScreenshots) };
}

/** Per side. */
const MAX_ICON_PIXELS = 2048;
const MAX_SCREENSHOT_PIXELS = 4096;

/** Undefined unless it is a PNG that the page of the package can show. */
function screenshotOf(entry: ListedEntry, at: number, content: Buffer): Screenshot | undefined {
  const { path, size, packedSize, method } = entry;
  const sides = pngSize(content, MAX_SCREENSHOT_PIXELS);
  if (!sides || size > ARCHIVE_LIMITS.maxScreenshotBytes) return undefined;
  const name = path.slice(path.lastIndexOf("/") + 1, -".png".length);
  const sha256 = hash("sha256", content, "hex");
  return { name, sha256, ...sides, size, at, packedSize, isDeflated: method === METHODS.deflated };
}

function keptIn(kept: Map<string, Buffer>): Pick<Archive, "metadata" | "icon" | "panelJson"> {
  const metadata = kept.get(METADATA_PATH) ?? Buffer.alloc(0);
  if (!isUtf8(metadata)) {
    refuse("metadata-unreadable", "metadata.json is not in UTF-8. Save it as UTF-8.", METADATA_PATH);
  }
  const icon = kept.get(ICON_PATH);
  if (icon && !pngSize(icon, MAX_ICON_PIXELS))
    refuse("icon-refused", "The icon is not a PNG. Save it as one.", ICON_PATH);
  // Some editors begin a file with a byte order mark.
  const text = metadata.toString("utf8").replace(/^\ufeff/, "");
  // A copy: a slice would keep the whole archive in memory.
  const panel = kept.get(PANEL_JSON)?.toString("utf8");
  return {
    metadata: text,
    ...(icon ? { icon: Buffer.from(icon) } : {}),
    ...(panel === undefined ? {} : { panelJson: panel }),
  };
}
