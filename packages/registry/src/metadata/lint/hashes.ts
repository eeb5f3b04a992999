import { createHash } from "node:crypto";
import type { Finding } from "./rules.ts";

const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

const ONE_DIGIT = /^(.)\1*$/;
const PLACEHOLDERS = new Set([sha256(new Uint8Array()), "0123456789abcdef".repeat(4), "deadbeef".repeat(8)]);

export function* lintHash(pointer: string, hash: string): Generator<Finding> {
  if (!ONE_DIGIT.test(hash) && !PLACEHOLDERS.has(hash)) return;
  yield { rule: "sha256-placeholder", pointer, message: "is a placeholder. Put the sha256 of the file there." };
}

/** How a file changes on its way through an editor, a version control system or a web server. */
const LINE_ENDS: readonly [name: string, change: (text: string) => string][] = [
  ["with CRLF line ends", (text) => text.replaceAll(/\r?\n/g, "\r\n")],
  ["with LF line ends", (text) => text.replaceAll("\r\n", "\n")],
  ["without the line end at its end", (text) => text.replace(/\r?\n$/, "")],
  ["with a line end at its end", (text) => `${text}\n`],
  ["with a CRLF line end at its end", (text) => `${text}\r\n`],
];

/** Whether the stated hash is that of the bytes; if not, whether it is that of nearly the same bytes. */
export function* lintStatedHash(pointer: string, stated: string, bytes: Uint8Array): Generator<Finding> {
  const fix = sha256(bytes);
  if (stated === fix) return;
  // One character a byte, and back: every byte survives, also where it is no text.
  const text = Buffer.from(bytes).toString("latin1");
  const like = LINE_ENDS.find(([, change]) => sha256(Buffer.from(change(text), "latin1")) === stated);
  if (like) {
    const message = `is the hash of the same file ${like[0]}. Put the hash of the bytes that are served there.`;
    yield { rule: "hash-of-other-line-ends", pointer, message, fix };
  } else {
    yield {
      rule: "hash-differs",
      pointer,
      message: "is not the hash of the file. Clients refuse the repository.",
      fix,
    };
  }
}
