import { EXIT } from "@backplane/contract/problems";
import { type ErrorContext, explainForCli } from "./explain-error.ts";
import { type Refusal, refuse, reportRefusal } from "./refusal.ts";
import { openTerminal, type Terminal } from "./terminal.ts";

/** What a command ends with: an exit code, a refusal that is still to be reported, or nothing when it is done. */
export type Outcome = number | Refusal | undefined;

export type Running = {
  /** Filled in by the command, for the next steps in error messages. */
  context: ErrorContext;
  /** Aborts on Ctrl-C, SIGTERM and SIGHUP. */
  signal: AbortSignal;
  json: boolean;
  out: Terminal;
  /** Prints the value as JSON for programs; for people, calls `print`. */
  answer(value: unknown, print: () => void): void;
};

type Options = { whenStopped?: string };

/** Runs a command, reports why it was refused or stopped, and returns the exit code. */
export async function runCommand(
  host: NodeJS.Process,
  { json = false }: { json?: boolean },
  work: (running: Running) => Promise<Outcome>,
  { whenStopped = "Stopped." }: Options = {},
): Promise<number> {
  using stop = stopSignal(host);
  const { signal } = stop;
  const out = openTerminal(host.stdout, host.env);
  const answer: Running["answer"] = (value, print) => (json ? out.line(JSON.stringify(value)) : print());
  const context: ErrorContext = {};
  let outcome: Outcome;
  try {
    outcome = await work({ signal, context, json, out, answer });
  } catch (error) {
    outcome = signal.aborted ? refuse("aborted", whenStopped) : explainForCli(error, context);
  }
  if (outcome === undefined) return EXIT.done;
  return typeof outcome === "number" ? outcome : reportRefusal(host, json, outcome);
}

function stopSignal(host: NodeJS.Process): Disposable & { signal: AbortSignal } {
  const stop = new AbortController();
  const onSignal = () => stop.abort();
  const names = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  // Not `once`: a terminal and a parent process may each send one, and the second must not kill the clean-up.
  for (const name of names) host.on(name, onSignal);
  return {
    signal: stop.signal,
    [Symbol.dispose]() {
      for (const name of names) host.off(name, onSignal);
    },
  };
}
