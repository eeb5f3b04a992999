import type { Contact } from "@backplane/contract/registry";
import { sha256Of } from "../../values.ts";
import { pointerPart } from "../positions.ts";
import { LOOSE_URL_RULE } from "../schemas.ts";
import type { Finding } from "./rules.ts";

const IN_FIELD = new RegExp(LOOSE_URL_RULE, "u");

/** An address that clients download from. */
export function* lintAddress(pointer: string, url: string): Generator<Finding> {
  if (url.startsWith("file:")) {
    yield { rule: "address-local", pointer, message: "works only on one machine. Use an https address." };
  } else {
    yield* lintLink(pointer, url);
  }
  if (!IN_FIELD.test(url)) {
    yield {
      rule: "address-refused-in-field",
      pointer,
      message: "is refused by KiCad. Use a full host name.",
    };
  }
}

/** A link for people; it may also be other text. */
export function* lintLink(pointer: string, text: string): Generator<Finding> {
  if (!text.startsWith("http://")) return;
  const fix = text.replace("http://", "https://");
  yield { rule: "address-http", pointer, message: "can be changed by anybody on the network. Use https.", fix };
}

export function* lintContact(pointer: string, { contact }: Contact): Generator<Finding> {
  const ways = Object.entries(contact);
  if (ways.length === 0) {
    const message = "has no contact. Add a web or email address.";
    yield { rule: "contact-missing", pointer: `${pointer}/contact`, message };
  }
  for (const [name, value] of ways) {
    const at = `${pointer}/contact/${pointerPart(name)}`;
    if (value.trim() === "")
      yield { rule: "contact-missing", pointer: at, message: "is empty. Fill it in or remove it." };
    yield* lintLink(at, value);
  }
}

const ONE_DIGIT = /^(.)\1*$/;
const PLACEHOLDERS = new Set([sha256Of(new Uint8Array()), "0123456789abcdef".repeat(4), "deadbeef".repeat(8)]);

export function* lintHash(pointer: string, hash: string): Generator<Finding> {
  if (!ONE_DIGIT.test(hash) && !PLACEHOLDERS.has(hash)) return;
  yield { rule: "sha256-placeholder", pointer, message: "is a placeholder. Use the sha256 of the file." };
}

/** How editors, version control systems and web servers change files. */
const LINE_ENDS: readonly [name: string, change: (text: string) => string][] = [
  ["with CRLF line ends", (text) => text.replaceAll(/\r?\n/g, "\r\n")],
  ["with LF line ends", (text) => text.replaceAll("\r\n", "\n")],
  ["without the line end at its end", (text) => text.replace(/\r?\n$/, "")],
  ["with a line end at its end", (text) => `${text}\n`],
  ["with a CRLF line end at its end", (text) => `${text}\r\n`],
];

/** Whether the stated hash matches the bytes; if not, whether it matches nearly the same bytes. */
export function* lintStatedHash(pointer: string, stated: string, bytes: Uint8Array): Generator<Finding> {
  const fix = sha256Of(bytes);
  if (stated === fix) return;
  // latin1 maps every byte to one character and back, even if it is not text.
  const text = Buffer.from(bytes).toString("latin1");
  const like = LINE_ENDS.find(([, change]) => sha256Of(Buffer.from(change(text), "latin1")) === stated);
  if (like) {
    const message = `is the hash of the same file ${like[0]}. Use the hash of the bytes that are served.`;
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
