import type { ArchiveLimits, ArchiveReason } from "@backplane/contract/registry";
import { INSTALLED_FOLDERS, refuse } from "./archive.ts";
import type { ListedEntry } from "./zip-records.ts";
import { FLAGS, METHODS, UNIX_MODE } from "./zip-records.ts";

export const METADATA_PATH = "metadata.json";
export const ICON_PATH = "resources/icon.png";
/** resources/screenshot.png, resources/screenshot-2.png, resources/screenshots/board.png */
export const SCREENSHOT_PATH = /^resources\/screenshots?(?:[^/]*|\/[^/]+)[.]png$/i;

const INSTALLED = new Set<string>(INSTALLED_FOLDERS);

const isFolder = (entry: ListedEntry): boolean => entry.path.endsWith("/");

/** Whether it is a file in one of the installed folders. */
export const isInstalled = (entry: ListedEntry): boolean =>
  !isFolder(entry) && INSTALLED.has(entry.path.slice(0, Math.max(0, entry.path.indexOf("/"))));

export const isExecutable = (entry: ListedEntry): boolean => ((entry.attributes >>> 16) & UNIX_MODE.execute) !== 0;

/** The ratio of smaller entries is not checked: they do no harm. */
const RATIO_FROM_BYTES = 1024 * 1024;

/** Checks what the directory says about an entry, except its name. */
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
    refuse("size-mismatch", "The size of an entry is not the one the archive states. Pack it again.", path);
  }
}

const DOS = { folder: 0x10, link: 0x400 } as const;
/** Systems that put DOS attributes in the low half: FAT, HPFS, NTFS, VFAT. */
const DOS_SYSTEMS = new Set([0, 6, 10, 11, 14]);

/** Only files and folders are allowed. */
function checkKind(entry: ListedEntry): void {
  const type = (entry.attributes >>> 16) & UNIX_MODE.type;
  const isOnDos = DOS_SYSTEMS.has(entry.madeBy >>> 8);
  if (type === UNIX_MODE.link || (isOnDos && entry.attributes & DOS.link)) {
    refuse("symbolic-link", "The archive contains a symbolic link. Replace it by the file itself.", entry.path);
  }
  const isKnown = type === 0 || type === UNIX_MODE.file || type === UNIX_MODE.folder;
  const isUnsure =
    !isFolder(entry) && (type === UNIX_MODE.folder || (isOnDos && (entry.attributes & DOS.folder) !== 0));
  if (!isKnown || isUnsure) {
    refuse(
      "special-file",
      "The archive contains something that is neither a file nor a folder. Leave it out.",
      entry.path,
    );
  }
}

// These match whole paths: splitting thousands of them into parts would be most of the work.
const ABSOLUTE = /^(?:\/|[a-z]:)/i;
const CLIMBS = /(?:^|\/)\.\.(?:\/|$)/;
const EMPTY_PART = /^$|^\.?\/|\/\.?\/|\/\.$|^\.$/;
/** Control characters, marks that change the direction of text, and characters that Windows reserves. */
const FORBIDDEN = /[\p{Cc}\u202a-\u202e\u2066-\u2069<>:"|?*]/u;
const DEVICE = /(?:^|\/)(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9\u00b9\u00b2\u00b3])(?: *\.|\/|$)/i;
const LOOSE_END = /[. ](?:\/|$)/;
/** The limit of most file systems for one part of a path. */
const MAX_PART_BYTES = 255;

/** Refuses a path that is dangerous, or cannot be installed, on any system. A folder's path ends in a slash. */
export function checkName(path: string, limits: ArchiveLimits): void {
  const no = (reason: ArchiveReason, message: string): never => refuse(reason, message, path);
  if (ABSOLUTE.test(path)) no("absolute-path", "A path in the archive is absolute. Make it relative.");
  if (path.includes("\\")) no("backslash-in-path", "A path in the archive has a backslash. Pack it with slashes.");
  if (path.length > limits.maxPathCharacters) {
    no("path-too-long", `A path has ${path.length} characters; ${limits.maxPathCharacters} are allowed. Shorten it.`);
  }
  if (CLIMBS.test(path)) no("path-outside", "A path in the archive leads outside its folder. Remove the “..”.");
  if (EMPTY_PART.test(path)) no("bad-name", "A path in the archive has an empty part. Pack it again.");
  if (FORBIDDEN.test(path)) no("bad-name", "A name has a character that some systems do not allow. Rename it.");
  if (DEVICE.test(path)) no("bad-name", "Windows reserves this name for a device. Rename it.");
  if (LOOSE_END.test(path)) no("bad-name", "A name ends in a dot or a space. Rename it.");
  // Only a long path can be too deep or have a part that is too long.
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

/** Refuses names that are the same on file systems that ignore case or the spelling of accents. */
export function createNameTree(): (path: string) => void {
  /** From the name as such a file system sees it to the path as written; folders end in a slash. */
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
    // From the innermost folder outwards; the parents of a known folder are known too.
    add(path);
    for (let slash = parentEnd(path, path.length - 1); slash > 0; slash = parentEnd(path, slash)) {
      if (add(path.slice(0, slash + 1))) break;
    }
  };
}

const parentEnd = (path: string, before: number): number => (before <= 0 ? -1 : path.lastIndexOf("/", before - 1));

function collide(path: string, there: string): never {
  if (path.replace(/\/$/, "") === there.replace(/\/$/, "")) {
    refuse("file-and-folder", "The archive has this path both as a file and as a folder. Rename one of them.", path);
  }
  refuse("case-collision", `On some systems this path is the same as ${there}. Rename one of them.`, path);
}

const ASCII = /^[ -~]*$/;

/** Upper case first, because some letters have no single lower-case character. */
function folded(path: string): string {
  return ASCII.test(path) ? path.toLowerCase() : path.normalize("NFD").toUpperCase().toLowerCase().normalize("NFC");
}
