import type { CheckNote } from "@backplane/contract/registry";
import { type FieldFault, Problem } from "@backplane/kit/problems";
import { versionKey } from "../../versions/version-key.ts";
import type { Candidate, Examined } from "./examine-upload.ts";
import { fault } from "./fault.ts";
import type { Standing } from "./standing.ts";

/** What an archive is refused for, or undefined. */
export function refusalOf({ archive, candidate, notes }: Examined): Problem | undefined {
  const errors = notes.filter(({ level }) => level === "error");
  if (candidate && errors.length === 0) return undefined;
  const [first] = errors;
  const detail = first ? sentence(first) : undefined;
  return new Problem(archive ? "metadata-refused" : "archive-refused", {
    ...(detail === undefined ? {} : { detail }),
    errors: errors.map(fieldFault),
  });
}

/** Why it is not published although nothing is wrong with it; undefined: it can be. */
export function standingNote(
  standing: Standing,
  { package: { identifier }, version }: Candidate,
): CheckNote | undefined {
  switch (standing.state) {
    case "free":
      return undefined;
    case "version-exists":
      return fault("version-exists", "/versions/0/version", existsSentence(version));
    case "not-yours":
      return fault("not-yours", "/identifier", notYoursSentence(identifier));
    case "other-spelling":
      return fault("other-spelling", "/identifier", `is listed as ${standing.listed}. Write it so.`);
  }
}

export function standingProblem(standing: Standing, candidate: Candidate): Problem | undefined {
  const note = standingNote(standing, candidate);
  if (!note) return undefined;
  if (standing.state === "version-exists") return new Problem("version-exists", { detail: note.message });
  if (standing.state === "not-yours") return new Problem("package-not-yours", { detail: note.message });
  return new Problem("metadata-refused", { detail: sentence(note), errors: [fieldFault(note)] });
}

const existsSentence = (version: Candidate["version"]): string =>
  `${versionKey(version)} exists. Its bytes never change; raise the version.`;

export const notYoursSentence = (identifier: string): string =>
  `Somebody else publishes ${identifier}. Choose another identifier, or ask its owner to add you to their organisation.`;

/** Problems have room for a pointer and a sentence: place, reason and fix go into it. */
function fieldFault(note: CheckNote): FieldFault {
  const { rule, pointer, path, line, column, message, fix } = note;
  const where = line === undefined ? "" : `line ${line}, column ${column ?? 1}: `;
  const likely = fix === undefined ? "" : ` (likely ${fix})`;
  const reason = pointer === undefined ? `${rule}: ` : "";
  return { pointer: pointer ?? path ?? "", message: `${where}${reason}${message}${likely}` };
}

function sentence(note: CheckNote): string {
  const { pointer, message } = fieldFault(note);
  const text = pointer === "" || message.includes(pointer) ? message : `${pointer}: ${message}`;
  return /[.!?)]$/.test(text) ? text : `${text}.`;
}
