import { PANELS_LIMITS, SandboxAction } from "@backplane/contract/panels";
import { type FieldFault, Problem } from "@backplane/kit/problems";
import { bodyChecker } from "@backplane/kit/schemas";
import { Type } from "typebox";

const BRANCHES = SandboxAction.anyOf.map((branch) => ({
  action: branch.properties.action.const as string,
  check: bodyChecker(branch),
}));
const ANY = bodyChecker(Type.Object({ action: Type.Union(BRANCHES.map(({ action }) => Type.Literal(action))) }));

/** 422 with the faults of the action that is meant; the schema alone would tell those of all three. */
export function refuseAction(body: unknown): void {
  const { action } = (body ?? {}) as { action?: unknown };
  const branch = BRANCHES.find((one) => one.action === action);
  const errors = (branch?.check ?? ANY)(body);
  if (errors.length > 0) throw refusal(errors);
}

export function refuseLongCode(code: string): void {
  const { maxCodeBytes } = PANELS_LIMITS;
  // No character takes more than three bytes: most code needs no counting.
  if (code.length * 3 <= maxCodeBytes || Buffer.byteLength(code) <= maxCodeBytes) return;
  throw refusal([{ pointer: "/code", message: `must have at most ${maxCodeBytes} bytes` }]);
}

function refusal(errors: readonly FieldFault[]): Problem {
  const [first] = errors;
  return new Problem("invalid-input", { detail: `${first?.pointer || "The body"} ${first?.message}.`, errors });
}
