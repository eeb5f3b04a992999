import type { ListedBlob } from "./blob-store.ts";

/** One page of ListObjectsV2. Flat and of a few known names: no more of XML is needed. */
export function readListing(xml: string): { blobs: ListedBlob[]; next: string | undefined } {
  const blobs = [...xml.matchAll(/<Contents>([\s\S]*?)<\/Contents>/g)].map(([, entry = ""]) => ({
    key: textIn(entry, "Key") ?? "",
    size: Number(textIn(entry, "Size")),
    modifiedMs: Date.parse(textIn(entry, "LastModified") ?? ""),
  }));
  const isCut = textIn(xml, "IsTruncated") === "true";
  return { blobs, next: isCut ? textIn(xml, "NextContinuationToken") : undefined };
}

function textIn(xml: string, name: string): string | undefined {
  const text = new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1];
  return text?.replace(/&(?:#(\d+)|#x([0-9a-fA-F]+)|(\w+));/g, (whole, decimal, hex, word) => {
    if (decimal ?? hex) return String.fromCodePoint(Number.parseInt(decimal ?? hex, decimal ? 10 : 16));
    return WORDS[word] ?? whole;
  });
}

const WORDS: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };
