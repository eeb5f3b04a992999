import { PASTE_ID_PATTERN } from "@backplane/contract/viewer";
import { Problem } from "@backplane/kit/problems";

const PASTE_ID = new RegExp(PASTE_ID_PATTERN);

export const isId = (text: string): boolean => PASTE_ID.test(text);

/** An id names files: what does not look like one names none. */
export function checkedId(id: string): string {
  if (!isId(id)) throw unknownPaste();
  return id;
}

export const unknownPaste = (): Problem =>
  new Problem("paste-unknown", { detail: "It may have been removed. List them to see which there are." });
