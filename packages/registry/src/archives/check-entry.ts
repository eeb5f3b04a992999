import type { ArchiveReason } from "@backplane/contract/registry";
import { type ArchiveLimits, INSTALLED_FOLDERS, refuse } from "./archive.ts";
import type { ListedEntry } from "./directory.ts";
import { FLAGS, METHODS, UNIX_MODE } from "./zip-records.ts";

export const METADATA_PATH = "metadata.json";
export const ICON_PATH = "resources/icon.png";

const INSTALLED = new Set<string>(INSTALLED_FOLDERS);

const isFolder = (entry: ListedEntry): boolean => entry.path.endsWith("/");

/** Whether it is a file below one of the folders that get installed. */
export const isInstalled = (entry: ListedEntry): boolean =>
  !isFolder(entry) && INSTALLED.has(entry.path.slice(0, Math.max(0, entry.path.indexOf("/"))));

export const isExecutable = (entry: ListedEntry): boolean => ((entry.attributes >>> 16) & UNIX_MODE.execute) !== 0;

/** From here on the ratio is looked at: smaller ones do no harm. */
const RATIO_FROM_BYTES = 1024 * 1024;

/** Refuses what the directory says of an entry, apart from its name. */
export function checkEntry(entry: ListedEntry, limits: ArchiveLimits): void {
  const { flags, method, size, packedSize, path } = entry;
  if (flags & (FLAGS.encrypted | FLAGS.strongEncryption | FLAGS.maskedHeaders)) {
    refuse("encrypted", "An entry of the archive is encrypted. Pack it without a password.", path);
  }
  if ((method !== METHODS.stored && method !== METHODS.deflated) || flags & FLAGS.patched) {
    refuse("unsupported-compression", "An entry is neither stored nor deflated. Pack it with one of these.", path);
  }
  checkKind(entry);
  if (path === METADATA_PATH && size > limits.maxMetadataBytes) {
    refuse("metadata-too-large", `metadata.json has ${size} bytes; ${limits.maxMetadataBytes} are allowed.`, path);
  }
  if (path === ICON_PATH && size > limits.maxIconBytes) {
    refuse("icon-refused", `The icon has ${size} bytes; ${limits.maxIconBytes} are allowed. Make it smaller.`, path);
  }
  if (size > limits.maxUnpackedBytes) {
    refuse("too-large-unpacked", `Unpacked it has more than ${limits.maxUnpackedBytes} bytes. Make it smaller.`, path);
  }
  if (size > RATIO_FROM_BYTES && size > packedSize * limits.maxRatio) {
    refuse("suspicious-ratio", `An entry unpacks to more than ${limits.maxRatio} times its size. Leave it out.`, path);
  }
  if ((method === METHODS.stored && size !== packedSize) || (isFolder(entry) && size > 0)) {
    refuse("size-mismatch", "An entry has another size than the archive says. Pack it again.", path);
  }
}

const DOS = { folder: 0x10, link: 0x400 } as const;
/** The systems whose attributes the low half holds: FAT, HPFS, NTFS, VFAT. */
const DOS_SYSTEMS = new Set([0, 6, 10, 11, 14]);

/** By what made the archive: a file or a folder, and nothing else. */
function checkKind(entry: ListedEntry): void {
  const type = (entry.attributes >>> 16) & UNIX_MODE.type;
  const isOnDos = DOS_SYSTEMS.has(entry.madeBy >>> 8);
  if (type === UNIX_MODE.link || (isOnDos && entry.attributes & DOS.link)) {
    refuse("symbolic-link", "The archive has a symbolic link. Put the file itself in its place.", entry.path);
  }
  const isKnown = type === 0 || type === UNIX_MODE.file || type === UNIX_MODE.folder;
  const isUnsure =
    !isFolder(entry) && (type === UNIX_MODE.folder || (isOnDos && (entry.attributes & DOS.folder) !== 0));
  if (!isKnown || isUnsure) {
    refuse("special-file", "The archive has something that is neither a file nor a folder. Leave it out.", entry.path);
  }
}

// Over whole paths: archives have thousands, and taking each apart is most of the work.
const ABSOLUTE = /^(?:\/|[a-z]:)/i;
const CLIMBS = /(?:^|\/)\.\.(?:\/|$)/;
const EMPTY_PART = /^$|^\.?\/|\/\.?\/|\/\.$|^\.$/;
/** Control characters, marks that turn the direction of text, and what Windows keeps for itself. */
const FORBIDDEN = /[\p{Cc}\u202a-\u202e\u2066-\u2069<>:"|?*]/u;
const DEVICE = /(?:^|\/)(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9\u00b9\u00b2\u00b3])(?: *\.|\/|$)/i;
const LOOSE_END = /[. ](?:\/|$)/;
/** What most file systems take for one part of a path. */
const MAX_PART_BYTES = 255;

/** Refuses a path that could harm on any system, or not be installed on one. A folder's path ends in a slash. */
export function checkName(path: string, limits: ArchiveLimits): void {
  const no = (reason: ArchiveReason, message: string): never => refuse(reason, message, path);
  if (ABSOLUTE.test(path)) no("absolute-path", "A path in the archive is absolute. Make it relative.");
  if (path.includes("\\")) no("backslash-in-path", "A path in the archive has a backslash. Pack it with slashes.");
  if (path.length > limits.maxPathCharacters) {
    no("path-too-long", `A path has ${path.length} characters; ${limits.maxPathCharacters} are allowed. Shorten it.`);
  }
  if (CLIMBS.test(path)) no("path-outside", "A path in the archive leads out of its folder. Remove the “..”.");
  if (EMPTY_PART.test(path)) no("bad-name", "A path in the archive has an empty part. Pack it again.");
  if (FORBIDDEN.test(path)) no("bad-name", "A name has a character that not every system can write. Rename it.");
  if (DEVICE.test(path)) no("bad-name", "Windows keeps this name for a device. Rename it.");
  if (LOOSE_END.test(path)) no("bad-name", "A name ends in a dot or a space. Rename it.");
  // Only a long path can be deep or have a long part.
  if (path.length > limits.maxPathDepth || path.length > MAX_PART_BYTES / 3) checkParts(path, limits);
}

function checkParts(path: string, limits: ArchiveLimits): void {
  const parts = (path.endsWith("/") ? path.slice(0, -1) : path).split("/");
  if (parts.length > limits.maxPathDepth) {
    const { maxPathDepth } = limits;
    refuse("path-too-deep", `A file is ${parts.length} levels deep; ${maxPathDepth} are allowed. Move it up.`, path);
  }
  if (parts.some((part) => Buffer.byteLength(part) > MAX_PART_BYTES)) {
    refuse("path-too-long", `A name has more than ${MAX_PART_BYTES} bytes. Shorten it.`, path);
  }
}

/** Refuses names that would meet on a file system that does not tell case or the spelling of accents apart. */
export function createNameTree(): (path: string) => void {
  /** By what such a file system sees: the path as it was written, folders with a slash. */
  const known = new Map<string, string>();
  const listed = new Set<string>();

  const add = (path: string) => {
    const key = folded(path.endsWith("/") ? path.slice(0, -1) : path);
    const there = known.get(key);
    if (there === undefined) known.set(key, path);
    else if (there !== path) collide(path, there);
    return there !== undefined;
  };

  return (path) => {
    if (listed.has(path)) refuse("duplicate-entry", "The archive has this path twice. Pack it again.", path);
    listed.add(path);
    // From the innermost folder outwards; one that is known has its own parents known.
    add(path);
    for (let slash = parentEnd(path, path.length - 1); slash > 0; slash = parentEnd(path, slash)) {
      if (add(path.slice(0, slash + 1))) break;
    }
  };
}

const parentEnd = (path: string, before: number): number => (before <= 0 ? -1 : path.lastIndexOf("/", before - 1));

function collide(path: string, there: string): never {
  if (path.replace(/\/$/, "") === there.replace(/\/$/, "")) {
    refuse("file-and-folder", "The archive has this path as a file and as a folder. Rename one.", path);
  }
  refuse("case-collision", `On some systems this path is the same as another, ${there}. Rename one.`, path);
}

const ASCII = /^[ -~]*$/;

/** Upper case first, since some letters have no lower case of one character. */
function folded(path: string): string {
  return ASCII.test(path) ? path.toLowerCase() : path.normalize("NFD").toUpperCase().toLowerCase().normalize("NFC");
}
