import type { Writable } from "node:stream";
import type { WatchdogSnapshot } from "@backplane/contract/gateway";
import { inOwnWords } from "../own-command.ts";
import type { View } from "./facts.ts";
import { clock } from "./facts.ts";

/** One line per change, for files, pipes and programs. */
export function showChanges(stream: Writable, json: boolean): View {
  let known: Set<string> | undefined;
  let gateway: WatchdogSnapshot["gateway"] | null = null;
  let isGone = false;

  function print(at: Date, says: string): void {
    stream.write(
      json
        ? `${JSON.stringify({ at: at.toISOString(), says, state: gateway?.state ?? null, pid: gateway?.pid ?? null })}\n`
        : `${clock(at)}  ${says}\n`,
    );
  }
  return {
    seen(snapshot) {
      gateway = snapshot.gateway;
      const { title, detail } = snapshot.summary;
      if (known === undefined) print(new Date(), `${title}: ${detail}`);
      else if (isGone) print(new Date(), "The watchdog answers again");
      const events = snapshot.events.map((event) => ({ ...event, key: `${event.at} ${event.says}` }));
      for (const { at, says, key } of events.toReversed()) if (known && !known.has(key)) print(new Date(at), says);
      known = new Set(events.map(({ key }) => key));
      isGone = false;
    },
    gone(since) {
      gateway = null;
      if (!isGone)
        print(since, inOwnWords(process.env, "The watchdog does not answer. Start everything with: backplane up"));
      isGone = true;
    },
    close() {},
  };
}
