import { type ErrorCode, EXIT, exitCodeOf, type FieldFault } from "@backplane/contract/problems";
import { inOwnWords } from "./own-command.ts";
import { openTerminal, SHAPES } from "./terminal.ts";

/** Why a command did nothing. The first line of the message says what happened, the others what to do next. */
export type Refusal = {
  /** A code of the contract's table, or one that only a newer server knows. */
  code: string;
  message: string;
  exit: number;
  faults?: readonly FieldFault[];
};

export const refuse = (code: ErrorCode, ...lines: readonly string[]): Refusal => ({
  code,
  message: lines.join("\n"),
  exit: exitCodeOf(code),
});

export const isRefusal = (value: object): value is Refusal => "exit" in value && "message" in value;

/** Writes to standard error for people; as a line of JSON to standard output for programs. Returns the exit code. */
export function reportRefusal(
  host: NodeJS.Process,
  json: boolean,
  { code, exit, faults, ...refusal }: Refusal,
): number {
  const message = inOwnWords(host.env, refusal.message);
  if (json) {
    host.stdout.write(`${JSON.stringify({ error: { code, message, ...(faults ? { faults } : {}) } })}\n`);
    return exit;
  }
  const err = openTerminal(host.stderr);
  const [first = "", ...others] = message.split("\n");
  const tone = exit === EXIT.interrupted ? "off" : "danger";
  err.line(`${err.paint(tone, SHAPES[tone])} ${first}`);
  for (const line of others) err.line(line === "" ? "" : `  ${line}`);
  for (const fault of faults ?? []) err.line(`  ${fault.pointer} ${fault.message}`.trimEnd());
  return exit;
}
