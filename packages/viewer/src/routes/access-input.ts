import { VIEWER_LIMITS } from "@backplane/contract/viewer";
import { Problem } from "@backplane/kit/problems";
import { bodyChecker } from "@backplane/kit/schemas";
import { Type } from "typebox";
import { Title } from "./schemas.ts";

const Inputs = Type.Object({
  q: Type.Optional(Type.String({ minLength: 1, maxLength: VIEWER_LIMITS.maxQueryCharacters })),
  title: Type.Optional(Title),
});

const faultsOf = bodyChecker(Inputs);

/** What comes from inside this process is held to what is said over HTTP, in the same words. */
export function checkInput(input: { q?: string; title?: string | undefined }): void {
  const given = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));
  const errors = faultsOf(given);
  const [first] = errors;
  if (first) throw new Problem("invalid-parameter", { detail: `${first.pointer} ${first.message}.`, errors });
}
