import type { Ack, Holder } from "@backplane/contract/devices";
import type { LogLevel } from "@backplane/contract/panels";
import type { Clock } from "@backplane/kit/clock";
import type { Actor } from "../services.ts";
import type { Authority, Decision, Refusal } from "./decisions.ts";
import { type Entries, type Entry, publicly } from "./entries.ts";
import { nameOf } from "./rules.ts";

type Options = { entries: Entries; steady: Clock; note(level: LogLevel, message: string): void };

export type Asking = ReturnType<typeof createAsking>;

export const unknownDevice = (id: string): Refusal => ({
  code: "device-unknown",
  detail: `There is no device ${id} here.`,
});

/** Questions to the rules of a device. Refusals are logged. */
export function createAsking({ entries, steady, note }: Options) {
  const refuse = (refusal: Refusal, startMs: number): Ack & { holder?: Holder } => {
    const { holder, ...rest } = refusal;
    return { ok: false, ...rest, ...(holder ? { holder: publicly(holder) } : {}), tookMs: steady() - startMs };
  };

  function logRefusal(entry: Entry, actor: Actor, what: string, { code, detail }: Refusal): void {
    if (code === "too-many") {
      // The log must not become the flood.
      if (entry.tooMany.has(actor.key)) return;
      entry.tooMany.add(actor.key);
    }
    note("warn", `${nameOf(actor)}: ${what} refused (${code}): ${detail}`);
  }

  /** Asks the rules about one device. */
  function ask(id: string, actor: Actor, what: string, decide: (authority: Authority, nowMs: number) => Decision) {
    const startMs = steady();
    const entry = entries.of(id);
    if (!entry) return { ack: refuse(unknownDevice(id), startMs), answers: [], entry };
    const decision = decide(entry.authority, startMs);
    const answers = entries.apply(entry, decision);
    if (!decision.refusal) return { ack: { ok: true, tookMs: steady() - startMs } as Ack, answers, entry };
    logRefusal(entry, actor, `${what} ${entries.nameOf(id)}`, decision.refusal);
    return { ack: refuse(decision.refusal, startMs), answers, entry };
  }

  return { ask, refuse, logRefusal };
}
