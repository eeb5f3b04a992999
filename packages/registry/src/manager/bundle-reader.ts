import { createHash, randomUUID } from "node:crypto";
import { createWriteStream } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { type Entry, openPromise, type ZipFile } from "yauzl";
import { ManagerFault } from "./manager-fault.ts";

/** More than any bundle has. */
const MAX_ENTRIES = 200_000;

/** The entries of a bundle by name. Nothing is ever written under a name that is in it. */
export type BundleReader = Disposable & {
  /** Undefined: there is none. */
  read(name: string, maxBytes: number): Promise<Buffer | undefined>;
  /** To a new file in `folder`; says what came. */
  extract(
    name: string,
    folder: string,
    maxBytes: number,
  ): Promise<{ file: string; sha256: string; size: number } | undefined>;
};

export async function openBundle(file: string): Promise<BundleReader> {
  const refuse = (why: string, cause?: unknown) =>
    new ManagerFault(
      "bundle-invalid",
      `${file} is no bundle: ${why}. Nothing was changed. Make it again.`,
      {},
      { cause },
    );
  let zip: ZipFile;
  try {
    zip = await openPromise(file, { autoClose: false, validateEntrySizes: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") {
      throw new ManagerFault("bad-file", `${file} is not there. Check the path.`);
    }
    throw refuse("it is not a zip file, or cut short", error);
  }
  const entries = new Map<string, Entry>();
  try {
    if (zip.entryCount > MAX_ENTRIES) throw refuse("it has too many entries");
    for await (const entry of zip.eachEntry()) {
      const name = String(entry.fileName);
      if (entries.has(name)) throw refuse(`${name} is in it twice`);
      entries.set(name, entry);
    }
  } catch (error) {
    zip.close();
    throw error instanceof ManagerFault ? error : refuse("its list of entries cannot be read", error);
  }
  const open = async (name: string, maxBytes: number) => {
    const entry = entries.get(name);
    if (!entry) return undefined;
    if (entry.uncompressedSize > maxBytes) throw refuse(`${name} has more than ${maxBytes} bytes`);
    return await zip.openReadStreamPromise(entry).catch((error: unknown) => {
      throw refuse(`${name} cannot be read`, error);
    });
  };
  return {
    read: async (name, maxBytes) => {
      const stream = await open(name, maxBytes);
      if (!stream) return undefined;
      const pieces: Buffer[] = [];
      try {
        for await (const piece of stream) pieces.push(piece as Buffer);
      } catch (error) {
        throw refuse(`${name} cannot be read`, error);
      }
      return Buffer.concat(pieces);
    },
    extract: async (name, folder, maxBytes) => {
      const stream = await open(name, maxBytes);
      if (!stream) return undefined;
      await mkdir(folder, { recursive: true });
      const target = join(folder, `${process.pid}-${randomUUID()}.zip`);
      const hash = createHash("sha256");
      let size = 0;
      stream.on("data", (piece: Buffer) => {
        hash.update(piece);
        size += piece.length;
      });
      try {
        await pipeline(stream, createWriteStream(target, { flags: "wx" }));
      } catch (error) {
        throw refuse(`${name} cannot be read`, error);
      }
      return { file: target, sha256: hash.digest("hex"), size };
    },
    [Symbol.dispose]: () => zip.close(),
  };
}
