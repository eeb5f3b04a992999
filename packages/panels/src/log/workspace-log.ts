import { type LogEntry, PANELS_LIMITS } from "@backplane/contract/panels";
import type { Dependencies, Live, WorkspaceLog } from "../services.ts";
import { createLogStore, type NewEntry } from "./store.ts";

/** Lines that wait to be written; more are dropped, and their number is logged. */
export const MAX_WAITING_LINES = 5_000;
/** How long a line waits for others that are written with it. */
const BATCH_MS = 20;
/** Lines per statement and per message to browsers: a batch of the longest lines still fits into the bus. */
const MAX_BATCH = 100;
/** The source of the line about dropped lines. */
const SOURCE = "panels";

/** Lines that are noted within a moment are written together, with one statement per workspace. */
export function createWorkspaceLog(
  { database, now, onFault }: Pick<Dependencies, "database" | "now" | "onFault">,
  live: Pick<Live, "tell">,
): WorkspaceLog & { close(): Promise<void> } {
  const store = createLogStore(database);
  let waiting = new Map<string, NewEntry[]>();
  let count = 0;
  let dropped = new Map<string, number>();
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> | undefined;

  async function write(workspaceId: string, entries: readonly NewEntry[]): Promise<LogEntry[]> {
    const written: LogEntry[] = [];
    for (let from = 0; from < entries.length; from += MAX_BATCH) {
      const batch = await store.insert(workspaceId, entries.slice(from, from + MAX_BATCH), now());
      written.push(...batch);
      // The lines are stored: a browser that misses this message reads them later.
      await live.tell(workspaceId, { type: "log", entries: batch }).catch(onFault);
    }
    return written;
  }

  /** A failure for a workspace that was removed meanwhile is not reported. */
  async function tellUnlessRemoved(workspaceId: string, fault: unknown): Promise<void> {
    if (await store.hasWorkspace(workspaceId).catch(() => true)) onFault(fault);
  }

  async function flush(): Promise<void> {
    while (waiting.size > 0) {
      const batches = waiting;
      const droppedThen = dropped;
      waiting = new Map();
      dropped = new Map();
      for (const [workspaceId, entries] of batches) {
        const missing = droppedThen.get(workspaceId) ?? 0;
        const more: NewEntry[] =
          missing > 0 ? [{ level: "warn", source: SOURCE, message: `${missing} lines were dropped here.` }] : [];
        await write(workspaceId, [...entries, ...more]).catch((fault) => tellUnlessRemoved(workspaceId, fault));
        count -= entries.length;
      }
    }
  }

  function flushSoon(): void {
    timer ??= setTimeout(() => {
      timer = undefined;
      writing = flush().finally(() => {
        writing = undefined;
        if (waiting.size > 0) flushSoon();
      });
    }, BATCH_MS);
  }

  return {
    note(workspaceId, level, source, message) {
      if (count >= MAX_WAITING_LINES) {
        if (waiting.has(workspaceId)) dropped.set(workspaceId, (dropped.get(workspaceId) ?? 0) + 1);
        return;
      }
      const entries = waiting.get(workspaceId) ?? [];
      entries.push({ level, source, message: cleanMessage(message) });
      waiting.set(workspaceId, entries);
      count += 1;
      if (!writing) flushSoon();
    },
    add: (workspaceId, entries) =>
      write(
        workspaceId,
        entries.map((entry) => ({ ...entry, message: cleanMessage(entry.message) })),
      ),
    async close() {
      clearTimeout(timer);
      timer = undefined;
      await writing;
      await flush();
    },
  };
}

/** Control characters except tabs and line ends: not every database can store them, and nobody can read them. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const UNREADABLE = /[\u0000-\u0008\u000b-\u001f\u007f]/g;
const REPLACEMENT = "\ufffd";

/** A message that can be stored: of limited length, and readable. */
const cleanMessage = (message: string): string =>
  message.slice(0, PANELS_LIMITS.maxLogMessageLength).replaceAll(UNREADABLE, REPLACEMENT).toWellFormed();
