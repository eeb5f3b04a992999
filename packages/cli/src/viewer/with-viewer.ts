import { Problem } from "@backplane/kit/problems";
import { StartFault } from "@backplane/kit/process";
import type { ViewerAccess } from "@backplane/viewer";
import { CONNECT_EXIT, isRefusal, type Refusal, tell } from "../connect/refusal.ts";
import { plain } from "../pkg/words.ts";
import { openTerminal, type Terminal } from "../terminal.ts";
import { reachViewer } from "./reach-viewer.ts";
import { type ViewerFlags, viewerSettings } from "./settings.ts";

export type Ground = {
  access: ViewerAccess;
  out: Terminal;
  /** For programs the value, for people what `say` prints. */
  answer(value: unknown, say: () => void): void;
};

/** Finds who keeps the project's screenshots and asks it something. Returns the exit code. */
export async function withViewer(
  host: NodeJS.Process,
  options: ViewerFlags,
  use: (ground: Ground) => Promise<Refusal | number | undefined>,
): Promise<number> {
  const json = options.json === true;
  const settings = viewerSettings(host, options);
  if (isRefusal(settings)) return tell(host, json, settings);
  const out = openTerminal(host.stdout);
  const answer: Ground["answer"] = (value, say) => (json ? out.line(JSON.stringify(value)) : say());
  const result = await telling(async () => {
    await using reached = await reachViewer(host, settings);
    return await use({ access: reached.access, out, answer });
  });
  if (typeof result === "number") return result;
  return result === undefined ? CONNECT_EXIT.ok : tell(host, json, result);
}

/** What the viewer refuses, as it says it. Anything else is a fault of ours, and thrown. */
export async function telling<Value>(work: () => Promise<Value>): Promise<Value | Refusal> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof StartFault) return { code: "not-started", message: error.message, exit: CONNECT_EXIT.failed };
    if (!(error instanceof Problem)) throw error;
    const faults = (error.errors ?? []).map(({ pointer, message }) => ({ pointer, message: plain(message) }));
    const message = error.detail ?? `${error.title}.`;
    const refusal = { code: error.code, message, exit: CONNECT_EXIT.failed };
    // One fault is what the message says: it need not be read twice.
    return faults.length > 1 ? { ...refusal, faults } : refusal;
  }
}
