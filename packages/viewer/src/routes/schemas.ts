import { PASTE_ID_PATTERN, VIEWER_LIMITS } from "@backplane/contract/viewer";
import { Problem } from "@backplane/kit/problems";
import { Type } from "typebox";

export const TAGS = ["viewer"];

/** Both are shown to people, so control characters are refused. */
const NO_CONTROLS = "^[^\\u0000-\\u001f\\u007f]*$";

export const Title = Type.String({ maxLength: VIEWER_LIMITS.maxTitleCharacters, pattern: NO_CONTROLS });
export const Instance = Type.String({ maxLength: VIEWER_LIMITS.maxInstanceCharacters, pattern: NO_CONTROLS });

/** For the page and for uploads. */
export const PageQuery = Type.Object({ title: Type.Optional(Title), instance: Type.Optional(Instance) });

export const IdParams = Type.Object({ id: Type.String() });

/** Answers show somebody's screen, so they must not be cached. */
export const NO_STORE = { "cache-control": "no-store" };

const PASTE_ID = new RegExp(PASTE_ID_PATTERN);

export const isId = (text: string): boolean => PASTE_ID.test(text);

/** Ids become file names, so anything that does not look like one is refused. */
export function checkedId(id: string): string {
  if (!isId(id)) throw unknownPaste();
  return id;
}

export const unknownPaste = (): Problem =>
  new Problem("paste-unknown", { detail: "It may have been removed. List the screenshots to see which exist." });
