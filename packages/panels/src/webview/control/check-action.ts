import { WebviewAction } from "@backplane/contract/panels";
import { Problem } from "@backplane/kit/problems";
import { bodyChecker } from "@backplane/kit/schemas";
import { Type } from "typebox";

const BRANCHES = WebviewAction.anyOf.map((branch) => ({
  action: branch.properties.action.const as string,
  check: bodyChecker(branch),
}));
const ANY = bodyChecker(Type.Object({ action: Type.Union(BRANCHES.map(({ action }) => Type.Literal(action))) }));

/** 422 with the faults of the action that is meant; the schema alone would tell those of all four. */
export function checkAction(body: unknown): void {
  const { action } = (body ?? {}) as { action?: unknown };
  const branch = BRANCHES.find((one) => one.action === action);
  const errors = (branch?.check ?? ANY)(body);
  const [first] = errors;
  if (first) {
    throw new Problem("invalid-input", { detail: `${first.pointer || "The body"} ${first.message}.`, errors });
  }
}
