import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readSync,
  type Stats,
  statSync,
} from "node:fs";
import { join } from "node:path";
import { type BackupWriter, CutShort } from "../format/writer.ts";

/** A folder whose files are in backups, under a name of its own. */
export type FileRoot = {
  /** The first part of the names of its entries, such as `projects/`. */
  prefix: string;
  folder: string;
  /** Files and folders that are not copied, by their path below the root. */
  skip: (path: string) => boolean;
  /** How many levels of folders may be links: an administrator may have put them there. */
  linkLevels: number;
};

/** As often as a folder is read again because something in it changed meanwhile. */
const MAX_ROUNDS = 20;
/** As often as a file is read again because it became shorter. */
const MAX_ATTEMPTS = 5;

/** Copies the files of a folder, and later only what is different. */
export class FolderCopy {
  readonly #root: FileRoot;
  readonly #writer: BackupWriter;
  /** The state in which each file was copied, by its path. */
  readonly #copied = new Map<string, string>();

  constructor(root: FileRoot, writer: BackupWriter) {
    this.#root = root;
    this.#writer = writer;
  }

  /** Copies what is new or different since the last call, once. `include` decides about files that were not there. */
  async copy(include: (path: string) => boolean = () => true): Promise<{ isStable: boolean }> {
    let isStable = true;
    for (const path of this.#files()) {
      const known = this.#copied.get(path);
      if (known === undefined && !include(path)) continue;
      if (known !== undefined && known === this.#stateOf(path)) continue;
      isStable = false;
      const state = await this.#copyOne(path);
      if (state !== undefined) this.#copied.set(path, state);
    }
    return { isStable };
  }

  /**
   * Copies until a whole round finds nothing new: a file that is renamed while a folder is read may be seen under neither
   * name. Returns the entries whose files are gone.
   */
  async settle(include?: (path: string) => boolean): Promise<string[]> {
    for (let round = 1; round <= MAX_ROUNDS; round += 1) if ((await this.copy(include)).isStable) break;
    return [...this.#copied.keys()]
      .filter((path) => this.#stateOf(path) === undefined)
      .map((path) => this.#root.prefix + path);
  }

  *#files(below = "", level = 0): Generator<string> {
    for (const entry of entriesOf(join(this.#root.folder, below))) {
      const path = `${below}${entry.name}`;
      if (this.#root.skip(path)) continue;
      if (entry.isFile()) yield path;
      else if (entry.isDirectory() || (entry.isSymbolicLink() && level < this.#root.linkLevels)) {
        yield* this.#files(`${path}/`, level + 1);
      }
    }
  }

  #stateOf(path: string): string | undefined {
    const stats = lstatSync(join(this.#root.folder, path), { throwIfNoEntry: false });
    return stats?.isFile() === true ? stateOf(stats) : undefined;
  }

  /** Undefined: it is gone. */
  async #copyOne(path: string): Promise<string | undefined> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await copyFile(this.#writer, join(this.#root.folder, path), this.#root.prefix + path);
      } catch (error) {
        if (!(error instanceof CutShort) || attempt === MAX_ATTEMPTS) throw error;
      }
    }
  }
}

const stateOf = ({ ino, size, mtimeMs, ctimeMs }: Stats): string => [ino, size, mtimeMs, ctimeMs].join(" ");

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

const isMissing = (error: unknown): boolean =>
  ["ENOENT", "ENOTDIR", "ELOOP"].includes((error as NodeJS.ErrnoException).code ?? "");

/**
 * Copies one file into the backup, and returns the state in which it was; undefined if it does not exist. Reads without
 * waiting for other work: this program does nothing else.
 */
export async function copyFile(writer: BackupWriter, path: string, name: string): Promise<string | undefined> {
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
  try {
    const stats = fstatSync(file);
    if (!stats.isFile()) return undefined;
    const facts = { name, size: stats.size, mode: stats.mode & 0o777, mtimeS: stats.mtimeMs / 1_000 };
    await writer.addFrom(facts, (space) => readSync(file, space));
    return stateOf(stats);
  } finally {
    closeSync(file);
  }
}

/** Whether something has this name, other than folders without files. A link counts. */
export function isUsed(folder: string, name: string, skip: (path: string) => boolean): boolean {
  const stats = lstatSync(join(folder, name), { throwIfNoEntry: false });
  if (stats === undefined || skip(name)) return false;
  return !stats.isDirectory() || holdsFiles(folder, skip, `${name}/`);
}

/** Whether there is a file at any depth. Names that begin with a dot at the top are leftovers of writing. */
export function holdsFiles(folder: string, skip: (path: string) => boolean, below = ""): boolean {
  if (!statSync(folder, { throwIfNoEntry: false })) return false;
  return entriesOf(join(folder, below)).some((entry) => {
    const path = `${below}${entry.name}`;
    return !skip(path) && (entry.isDirectory() ? holdsFiles(folder, skip, `${path}/`) : true);
  });
}
