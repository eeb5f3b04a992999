import type { CheckedUpload, CheckNote } from "@backplane/contract/registry";
import type { Fault } from "../../calls/call.ts";
import { faultWords } from "../../calls/fault-words.ts";
import { counted } from "../../parts/words.ts";
import { sizeWords } from "../words.ts";

/** Where a note points to: "metadata.json, line 12, column 5, /versions/0/version". */
export function placeOf({ path, line, column, pointer }: CheckNote): string {
  const place = [
    path ?? (line !== undefined || pointer ? "metadata.json" : undefined),
    line === undefined ? undefined : `line ${line}`,
    line === undefined || column === undefined ? undefined : `column ${column}`,
    pointer || undefined,
  ];
  return place.filter((part) => part !== undefined).join(", ");
}

export const errorsOf = (notes: readonly CheckNote[]): CheckNote[] => notes.filter(({ level }) => level === "error");

export const warningsOf = (notes: readonly CheckNote[]): CheckNote[] =>
  notes.filter(({ level }) => level === "warning");

/** The result of the check in one line. */
export function verdict({ publishable, notes }: Pick<CheckedUpload, "publishable" | "notes">): string {
  const errors = errorsOf(notes).length;
  const warnings = warningsOf(notes).length;
  const warned = warnings > 0 ? counted(warnings, "warning") : "";
  if (!publishable) {
    const found = [errors > 0 ? counted(errors, "error") : "", warned].filter(Boolean).join(", ");
    return found === "" ? "Cannot be published" : `Cannot be published: ${found}`;
  }
  return warned === "" ? "Ready to publish" : `Ready to publish, with ${warned}`;
}

/** "Sending 41 MB, 18 MB sent", then what the server does with it. */
export function progressWords(sent: number, total: number, then: string): string {
  return sent < total ? `Sending ${sizeWords(total)}, ${sizeWords(sent)} sent` : `${then} ${sizeWords(total)}`;
}

/** `head` says what happened, `rest` the next step. Final: sending the same archive again cannot succeed. */
export type Message = { head: string; rest: string; final?: boolean };

const exists = (version: string): Message => ({
  head: `Not published: ${version} exists.`,
  rest: "Published versions never change. Raise the version.",
  final: true,
});

/** When the check finds that the version exists, it says so in the same words as publishing. */
export const conflictOf = ({ version, notes }: Pick<CheckedUpload, "version" | "notes">): Message | undefined =>
  notes.some(({ rule }) => rule === "version-exists") ? exists(version ?? "this version") : undefined;

/** Why it was not published. */
export function publishFault(fault: Fault, version: string | undefined): Message {
  switch (fault.code) {
    case "version-exists":
      return exists(version ?? "this version");
    case "package-not-yours":
      return {
        head: "Not published: this package belongs to someone else.",
        rest: "Use another identifier, or ask the owner.",
        final: true,
      };
    case "silent":
      return {
        head: "Not published: the upload did not finish.",
        rest: "The file may have changed, or Backplane does not answer. Choose the file again.",
      };
    default:
      return { head: "Not published.", rest: faultWords(fault) };
  }
}

/** Why it was not checked. */
export function checkFault(fault: Fault): Message {
  if (fault.code !== "silent") return { head: "Not checked.", rest: faultWords(fault) };
  return {
    head: "Not checked: the upload did not finish.",
    rest: "The file may have changed, or Backplane does not answer. Choose the file again.",
  };
}

/** How a zip archive begins: with an entry, or with its end record when it is empty. */
const ZIP_STARTS = ["504b0304", "504b0506"];

type Chosen = { name: string; size: number; firstBytes: Uint8Array };

/** Why a file is not sent; undefined when it can be sent. */
export function fileFault({ name, size, firstBytes }: Chosen, maxBytes: number | undefined): string | undefined {
  if (maxBytes !== undefined && size > maxBytes) {
    return `Not sent: ${name} is ${sizeWords(size)}; the limit is ${sizeWords(maxBytes)}. Leave out files that are not installed.`;
  }
  if (size === 0) return `Not sent: ${name} is empty. Choose the archive of a package.`;
  const start = [...firstBytes.slice(0, 4)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  if (!ZIP_STARTS.includes(start)) return `Not sent: ${name} is not a zip archive. Choose a file that ends in .zip.`;
  return undefined;
}
