import type { Ack, AckCode } from "@backplane/contract/devices";
import { tooManyRequests } from "@backplane/kit/http";
import { Problem, type ProblemCode } from "@backplane/kit/problems";

/** What a refusal is over HTTP. Other codes are the device's own answer. */
const PROBLEM_OF = {
  "device-unknown": "device-unknown",
  held: "held",
  "not-held": "not-held",
  "not-armed": "not-armed",
  stopped: "stopped",
  latched: "latched",
  "device-lost": "device-lost",
  "out-of-limits": "out-of-limits",
  "unknown-field": "unknown-field",
  "not-a-number": "not-a-number",
  unsupported: "unsupported",
  "no-answer": "no-answer",
  "too-many": "too-many-requests",
} as const satisfies Partial<Record<AckCode, ProblemCode>>;

export const REFUSAL_PROBLEMS: readonly ProblemCode[] = Object.values(PROBLEM_OF);

const RETRY_AFTER_MS = 1_000;

/** The acknowledgement; throws the problem where it is a refusal. */
export function throwRefusal<Answer extends Ack>(ack: Answer): Answer {
  const { ok, code, detail, field } = ack;
  const isProblem = (known: AckCode | undefined): known is keyof typeof PROBLEM_OF =>
    known !== undefined && Object.hasOwn(PROBLEM_OF, known);
  if (ok || !isProblem(code)) return ack;
  if (code === "too-many") throw tooManyRequests(RETRY_AFTER_MS);
  throw new Problem(PROBLEM_OF[code], {
    ...(detail === undefined ? {} : { detail }),
    ...(field === undefined ? {} : { errors: [{ pointer: pointerTo(field), message: wordsOf(field, detail) }] }),
  });
}

/** `pose[2].x` of the parameters, as a JSON pointer. */
const pointerTo = (field: string): string =>
  `/params/${field
    .replaceAll("~", "~0")
    .replaceAll("/", "~1")
    .replaceAll(/\[(\d+)\]/g, ".$1")
    .replaceAll(".", "/")}`;

/** What is wrong with the field, without its name. */
const wordsOf = (field: string, detail = "is refused"): string =>
  detail.startsWith(`${field} `) ? detail.slice(field.length + 1).replace(/\.$/, "") : detail;
