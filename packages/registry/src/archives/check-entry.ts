import { type ArchiveLimits, INSTALLED_FOLDERS } from "./archive.ts";
import type { ListedEntry } from "./listed-entry.ts";
import { refuse } from "./refusal.ts";
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
