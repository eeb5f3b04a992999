import { sha256Of } from "../../values.ts";

export type Received = { bytes: Buffer; size: number; contentType?: string | undefined };
export type Promised = { sha256: string; size?: number | undefined };

/** Smaller files are tried with other line endings. */
const MAX_TRIED_BYTES = 64 * 1024 * 1024;

/** The likely reason for a wrong hash, as the end of a sentence. */
export function whyMismatch({ bytes, size, contentType }: Received, promised: Promised): string {
  if (size === 0) return "it is empty";
  if (looksLikePage(bytes, contentType)) return "it is a web page, such as an error page with status 200";
  const otherForm = size <= MAX_TRIED_BYTES && bytes.length === size ? wouldMatch(bytes, promised.sha256) : undefined;
  if (otherForm !== undefined) return otherForm;
  if (promised.size === undefined || promised.size === size) {
    return `it has ${size} bytes${promised.size === size ? ", as expected, but the content differs" : ""}`;
  }
  const relation = size < promised.size ? "cut off, or an older file" : "longer than expected";
  return `it has ${size} bytes, not ${promised.size}: ${relation}`;
}

function looksLikePage(bytes: Buffer, contentType = ""): boolean {
  const head = bytes.subarray(0, 512).toString("latin1").trimStart().toLowerCase();
  return head.startsWith("<!doctype html") || head.startsWith("<html") || contentType.startsWith("text/html");
}

const BOM = Buffer.from([0xef, 0xbb, 0xbf]);

function wouldMatch(bytes: Buffer, wanted: string): string | undefined {
  const text = bytes.toString("latin1");
  const lf = Buffer.from(text.replaceAll("\r\n", "\n"), "latin1");
  const forms: [string, () => Buffer][] = [
    ["it would match with LF line ends: it was hashed before its line ends became CRLF", () => lf],
    [
      "it would match with CRLF line ends: it was hashed before its line ends became LF",
      () => Buffer.from(lf.toString("latin1").replaceAll("\n", "\r\n"), "latin1"),
    ],
    ["it would match without the newline at its end", () => Buffer.from(text.replace(/\r?\n$/, ""), "latin1")],
    ["it would match with a newline at its end", () => Buffer.from(`${text}\n`, "latin1")],
    [
      "it would match without the byte order mark at its start",
      () => (bytes.subarray(0, 3).equals(BOM) ? bytes.subarray(3) : bytes),
    ],
    ["it would match with a byte order mark at its start", () => Buffer.concat([BOM, bytes])],
  ];
  return forms.find(([, make]) => sha256Of(make()) === wanted)?.[0];
}
