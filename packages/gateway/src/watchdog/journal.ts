import {
  MAX_EVENTS,
  MAX_OUTPUT_LINE_CHARACTERS,
  MAX_OUTPUT_LINES,
  type WatchdogSnapshot,
} from "@backplane/contract/gateway";
import type { Clock } from "@backplane/kit/clock";
import type { ChildEvent } from "@backplane/kit/supervise";
import { keepLast } from "./watch.ts";

export type Journal = {
  /** Adds an event, as the sentence that people read. */
  note(says: string): void;
  child(event: ChildEvent): void;
  /** The gateway does not work any more. The same reason is noted once. */
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

/** The last events and output lines of the gateway, in memory. The log files have more. */
export function createJournal(now: Clock): Journal {
  const events: WatchdogSnapshot["events"] = [];
  const output: string[] = [];
  let fault: string | null = null;
  let next: WatchdogSnapshot["nextAttempt"] = null;
  let isComingBack = false;

  const iso = (atMs: number) => new Date(atMs).toISOString();
  const note = (says: string) => keepLast(events, { at: iso(now()), says }, MAX_EVENTS);
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
          next = { at: iso(now() + event.inMs) };
          if (event.inMs > 0) note(`Next attempt in ${Math.ceil(event.inMs / 1_000)} s`);
          break;
        case "failed":
          isComingBack = false;
          fault = aboutGateway(event.reason);
          note(`Gave up: ${event.reason}`);
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
    line: (text) => keepLast(output, text.slice(0, MAX_OUTPUT_LINE_CHARACTERS), MAX_OUTPUT_LINES),
    fault: () => fault,
    nextAttempt: () => next,
    events: () => events.toReversed(),
    output: () => output,
  };
}

/** The supervisor gives verbs without a subject ("exited with code 3"); the gateway itself gives sentences. */
const isVerb = (reason: string): boolean => /^[a-z]/.test(reason) && !reason.startsWith("gateway ");

const aboutGateway = (reason: string): string =>
  isVerb(reason) ? `Gateway ${reason}` : `${reason.charAt(0).toUpperCase()}${reason.slice(1)}`;

/** With the next step, unless the gateway's own sentence already names one. */
export const whyNotStarted = (reason: string): string =>
  isVerb(reason) ? `${aboutGateway(reason)}. See logs/gateway.log in BACKPLANE_HOME.` : aboutGateway(reason);
