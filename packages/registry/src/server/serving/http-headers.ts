import { SCHEMA_V2_MEDIA_TYPE } from "@backplane/contract/registry";
import { BoundedMap } from "@backplane/kit/bounded-map";
import type { BlobRange } from "../blobs/blob-store.ts";
import type { Encoding } from "../catalogue/index-file.ts";

/** Our preference, if the client accepts several equally. */
const PREFERENCE: readonly Encoding[] = ["br", "gzip", "identity"];
/** Programs send few different headers. */
const MAX_REMEMBERED = 100;
const MAX_CHARACTERS = 500;

const UNSAID: readonly Encoding[] = ["identity"];

/** Parses Accept-Encoding: the accepted encodings, best first. Identity is always the last resort. */
export const encodingReader = () => remembering(readEncodings, UNSAID);

/** Parses Accept: whether the client asks for version 2 of the schema. */
export const versionReader = () => remembering(wantsV2, false);

/** A reader of a header that remembers what it read. A header that is absent or too long counts as `unsaid`. */
function remembering<Read>(read: (header: string) => Read, unsaid: Read): (header: string | undefined) => Read {
  const remembered = new BoundedMap<string, Read>({ maxEntries: MAX_REMEMBERED });
  return (header) => {
    if (header === undefined || header.length > MAX_CHARACTERS) return unsaid;
    const known = remembered.get(header);
    if (known !== undefined) return known;
    const result = read(header);
    remembered.set(header, result);
    return result;
  };
}

/**
 * RFC 9110, section 12.5.1. The type must be named: a client that accepts everything may be one that only knows version 1.
 */
export function wantsV2(header: string): boolean {
  const weights = readWeights(header);
  const weight = weights.get(SCHEMA_V2_MEDIA_TYPE) ?? 0;
  return weight > 0 && weight >= (weights.get("application/json") ?? 0);
}

function readWeights(header: string): Map<string, number> {
  const weights = new Map<string, number>();
  for (const part of header.split(",")) {
    const [name = "", ...parameters] = part.split(";").map((text) => text.trim().toLowerCase());
    if (name !== "") weights.set(name, weightOf(parameters));
  }
  return weights;
}

/** RFC 9110, section 12.5.3. */
export function readEncodings(header: string): readonly Encoding[] {
  const weights = readWeights(header.replaceAll(/x-gzip/gi, "gzip"));
  const rest = weights.get("*");
  const weight = (encoding: Encoding) => weights.get(encoding) ?? rest ?? (encoding === "identity" ? LAST_RESORT : 0);
  const taken = PREFERENCE.filter((encoding) => weight(encoding) > 0).sort((a, b) => weight(b) - weight(a));
  return taken.includes("identity") ? taken : [...taken, "identity"];
}

/** Identity is accepted even if it is not named, but comes last. */
const LAST_RESORT = 0.0001;

function weightOf(parameters: readonly string[]): number {
  const given = parameters.find((parameter) => parameter.startsWith("q="));
  if (given === undefined) return 1;
  const weight = Number(given.slice("q=".length));
  return weight >= 0 && weight <= 1 ? weight : 0;
}

/** Whether If-None-Match names this file in any encoding: all its tags begin with its sha256. */
export function namesFile(header: string, sha256: string): boolean {
  if (header.trim() === "*") return true;
  // Usually there is one tag, as we sent it.
  for (const tag of header.split(",")) {
    const opaque = tag.trim().replace(/^W\//, "");
    if (opaque.startsWith(`"${sha256}`) && /^("|-(gzip|br)"$)/.test(opaque.slice(sha256.length + 1))) return true;
  }
  return false;
}

const SINGLE = /^bytes=(\d{0,15})-(\d{0,15})$/;

/**
 * Parses a Range header (RFC 9110, section 14). "whole": none, several, or an invalid one, which a server may ignore;
 * "unsatisfiable": the file has no such bytes.
 */
export function readRange(header: string | undefined, size: number): BlobRange | "whole" | "unsatisfiable" {
  const [, first = "", last = ""] = SINGLE.exec(header?.trim().toLowerCase() ?? "") ?? [];
  if (first === "" && last === "") return "whole";
  if (first === "") {
    const length = Math.min(Number(last), size);
    return length === 0 ? "unsatisfiable" : { start: size - length, end: size - 1 };
  }
  const start = Number(first);
  if (last !== "" && Number(last) < start) return "whole";
  if (start >= size) return "unsatisfiable";
  return { start, end: last === "" ? size - 1 : Math.min(Number(last), size - 1) };
}
