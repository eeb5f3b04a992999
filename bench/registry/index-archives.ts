import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { crc32, deflateSync } from "node:zlib";
import { writeZip, type ZipEntry } from "../../packages/registry/src/archives/write-zip.ts";

/** Some program text, some incompressible data, an icon: 1,000 of them have about 47 MB, like real packages. */
const ARCHIVE = { textFiles: 6, linesEach: 300, dataBytes: 34_000, iconSide: 64 } as const;

/** Writes this many archives; returns their total size in bytes. */
export function writeArchives(folder: string, count: number): number {
  mkdirSync(folder, { recursive: true });
  return namesOf(count).reduce((sum, name, index) => {
    const bytes = archiveOf(index);
    writeFileSync(join(folder, name), bytes);
    return sum + bytes.length;
  }, 0);
}

export const namesOf = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `package-${String(index).padStart(5, "0")}.zip`);

/** The archive of one package; another `seed` gives other contents of about the same size. */
export function archiveOf(index: number, seed = index): Buffer {
  const next = numbersFrom(seed + 1);
  const entries: ZipEntry[] = [
    { path: "metadata.json", bytes: Buffer.from(JSON.stringify(metadataOf(index), undefined, 2)) },
    ...Array.from({ length: ARCHIVE.textFiles }, (_, file) => ({
      path: `plugins/module_${file}.py`,
      bytes: Buffer.from(textFrom(next)),
    })),
    { path: "plugins/data.bin", bytes: bytesFrom(next, ARCHIVE.dataBytes) },
    { path: "resources/icon.png", bytes: iconFrom(next) },
  ];
  return writeZip(entries);
}

function metadataOf(index: number): object {
  return {
    name: `Package ${index}`,
    description: `Number ${index} of the packages that an index is made of`,
    description_full: "What it does takes a few sentences to say. ".repeat(12).trim(),
    identifier: `org.example.bench.package-${index}`,
    type: "plugin",
    author: { name: "Ada", contact: { web: "https://example.org" } },
    license: "MIT",
    resources: { homepage: `https://example.org/${index}` },
    tags: ["bench", `group-${index % 20}`],
    versions: [{ version: `1.${index % 100}.0`, status: "stable", tool_version: "8.0" }],
  };
}

/** Numbers that look random and are the same in every run. */
function numbersFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
}

const WORDS = "def return import self board pad track layer for in if else value name net point list None".split(" ");

function textFrom(next: () => number): string {
  const word = () => WORDS[next() % WORDS.length];
  return Array.from(
    { length: ARCHIVE.linesEach },
    () => `    ${word()} ${word()}_${word()} = ${word()}(${next() % 1_000})\n`,
  ).join("");
}

function bytesFrom(next: () => number, length: number): Buffer {
  return Buffer.from(Uint32Array.from({ length: length / 4 }, next).buffer);
}

const PNG_SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** A PNG with one grey value per column. */
function iconFrom(next: () => number): Buffer {
  const side = ARCHIVE.iconSide;
  const row = Buffer.concat([Buffer.of(0), bytesFrom(next, side)]);
  const head = Buffer.alloc(13);
  head.writeUInt32BE(side, 0);
  head.writeUInt32BE(side, 4);
  head.set([8, 0], 8);
  const pixels = deflateSync(Buffer.concat(Array.from({ length: side }, () => row)));
  return Buffer.concat([PNG_SIGNATURE, chunk("IHDR", head), chunk("IDAT", pixels), chunk("IEND", Buffer.alloc(0))]);
}

function chunk(name: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(name), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}
