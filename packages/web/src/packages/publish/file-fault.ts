import { sizeWords } from "../words.ts";

/** How a zip archive begins: with an entry, or, when it has none, with its end. */
const ZIP_STARTS = ["504b0304", "504b0506"];

type Chosen = { name: string; size: number; firstBytes: Uint8Array };

/** Why a file is not even sent; undefined: it is. */
export function fileFault({ name, size, firstBytes }: Chosen, maxBytes: number | undefined): string | undefined {
  if (maxBytes !== undefined && size > maxBytes) {
    return `Not sent: ${name} has ${sizeWords(size)}, and an archive has at most ${sizeWords(maxBytes)}. Leave out what is not installed.`;
  }
  if (size === 0) return `Not sent: ${name} is empty. Choose the archive of a package.`;
  const start = [...firstBytes.slice(0, 4)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  if (!ZIP_STARTS.includes(start)) return `Not sent: ${name} is not a zip archive. Choose a file that ends in .zip.`;
  return undefined;
}
