import { OAuthError } from "@backplane/sdk";
import { openTerminal, SHAPES } from "../terminal.ts";

/** 2 is wrong usage or settings, as everywhere; 130 and 143 are what shells make of SIGINT and SIGTERM. */
export const CONNECT_EXIT = {
  ok: 0,
  failed: 1,
  badInput: 2,
  unreachable: 3,
  interrupted: 130,
  terminated: 143,
} as const;

/** Why nothing was done. The first line of the message is what happened, the others are the next step. */
export type Refusal = { code: string; message: string; exit: number; faults?: readonly RefusedPart[] };

/** One thing of several that are wrong. */
export type RefusedPart = { pointer: string; message: string };

export const badInput = (code: string, message: string): Refusal => ({ code, message, exit: CONNECT_EXIT.badInput });

export const isRefusal = (value: object): value is Refusal => "exit" in value;

const BAD_INPUT: readonly string[] = ["invalid-option", "credentials-unreadable"];

/** What the sdk refuses, as it says it. Anything else is a fault of ours, and thrown. */
export function refusalOf(error: unknown): Refusal {
  if (!(error instanceof OAuthError)) throw error;
  const { code, message } = error;
  if (BAD_INPUT.includes(code)) return badInput(code, message);
  if (code !== "gateway-unreachable") return { code, message, exit: CONNECT_EXIT.failed };
  const hint = "Start one with: backplane up\nOr give the address of another: --gateway <url>";
  return { code, message: `${message}\n${hint}`, exit: CONNECT_EXIT.unreachable };
}

/** For people to standard error, for programs as a line of JSON where they read. Returns the exit code. */
export function tell(host: NodeJS.Process, json: boolean, { code, message, exit, faults }: Refusal): number {
  if (json) {
    host.stdout.write(`${JSON.stringify({ error: { code, message, ...(faults ? { faults } : {}) } })}\n`);
    return exit;
  }
  const err = openTerminal(host.stderr);
  const [first = "", ...others] = message.split("\n");
  // What somebody stopped has not failed.
  const tone = exit >= CONNECT_EXIT.interrupted ? "off" : "danger";
  err.line(`${err.paint(tone, SHAPES[tone])} ${first}`);
  for (const line of others) err.line(line === "" ? "" : `  ${line}`);
  for (const fault of faults ?? []) err.line(`  ${fault.pointer} ${fault.message}`.trimEnd());
  return exit;
}
