import {
  MAX_EVENTS,
  MAX_OUTPUT_LINE_CHARACTERS,
  MAX_OUTPUT_LINES,
  type WatchdogSnapshot,
} from "@backplane/contract/gateway";
import type { Clock } from "@backplane/kit/clock";
import type { ChildEvent } from "@backplane/kit/process";
import { aboutGateway } from "./reason.ts";
import { createRing } from "./ring.ts";

export type Journal = {
  /** Something happened, as the sentence a person reads. */
  note(says: string): void;
  child(event: ChildEvent): void;
  /** It is of no use any more. Told once, however many tell it. */
  isDown(reason: string): void;
  didNotStart(reason: string): void;
  /** A line that the gateway printed, already without secrets. */
  line(text: string): void;
  fault(): string | null;
  nextAttempt(): WatchdogSnapshot["nextAttempt"];
  /** Newest first. */
  events(): WatchdogSnapshot["events"];
  /** Oldest first. */
  output(): readonly string[];
};

/** What happened to the gateway, and what it said: bounded, in memory, gone with the watchdog. The log files have more. */
export function createJournal({ now, maxRestarts }: { now: Clock; maxRestarts: number }): Journal {
  const events = createRing<WatchdogSnapshot["events"][number]>(MAX_EVENTS);
  const output = createRing<string>(MAX_OUTPUT_LINES);
  let fault: string | null = null;
  let next: WatchdogSnapshot["nextAttempt"] = null;
  let isComingBack = false;

  const iso = (atMs: number) => new Date(atMs).toISOString();
  const note = (says: string) => events.push({ at: iso(now()), says });
  function isDown(reason: string): void {
    const says = aboutGateway(reason);
    if (says !== fault) note(says);
    fault = says;
  }

  return {
    note,
    child(event) {
      next = null;
      switch (event.type) {
        case "running":
          note(`Gateway ${isComingBack ? "restarted" : "started"}, process ${event.pid}`);
          fault = null;
          isComingBack = false;
          break;
        case "exited":
          isDown(event.reason);
          break;
        case "restarting":
          isComingBack = true;
          if (event.reason !== undefined) isDown(event.reason);
          next = { at: iso(now() + event.inMs), number: event.attempt, of: maxRestarts };
          if (event.inMs > 0)
            note(`Next attempt in ${Math.ceil(event.inMs / 1_000)} s, ${event.attempt} of ${maxRestarts}`);
          break;
        case "failed":
          isComingBack = false;
          fault = aboutGateway(event.reason);
          note(`Left as it is: ${event.reason}`);
          break;
        case "stopped":
          isComingBack = false;
          fault = null;
          note("Gateway stopped");
          break;
      }
    },
    isDown,
    didNotStart(reason) {
      fault = null;
      isDown(reason);
    },
    line: (text) => output.push(text.slice(0, MAX_OUTPUT_LINE_CHARACTERS)),
    fault: () => fault,
    nextAttempt: () => next,
    events: () => events.items().toReversed(),
    output: () => output.items(),
  };
}
