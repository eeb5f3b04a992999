import { DEVICES_LIMITS } from "@backplane/contract/devices";
import { Problem } from "@backplane/kit/problems";
import type { Picture } from "./picture.ts";
import type { StoredStream, StreamStore } from "./store.ts";
import type { Recorded, StreamBook } from "./streams.ts";

const { maxRecordedStreams } = DEVICES_LIMITS;
/** How soon a camera that was added, changed or switched is recorded. */
const LOOK_MS = 2_000;

/** The streams of a workspace whose setting says that they are recorded, also those that are switched on meanwhile. */
export const createVideoRecorder =
  (options: {
    store: Pick<StreamStore, "list">;
    book: Pick<StreamBook, "record">;
    note(workspaceId: string, level: "warn", message: string): void;
    onFault(error: unknown): void;
  }) =>
  (workspaceId: string, take: (stream: string, picture: Picture) => void, payer = workspaceId): (() => void) => {
    const { store, book, note, onFault } = options;
    const recorded = new Map<string, Recorded>();
    const refused = new Set<string>();
    let isOver = false;

    async function look(): Promise<void> {
      const all = await store.list(workspaceId);
      if (isOver) return;
      const wanted = all.filter(({ settings }) => settings.record === true).slice(0, maxRecordedStreams);
      for (const [name, one] of recorded) {
        if (wanted.some((stream) => stream.name === name) && !one.isOver()) continue;
        one.end();
        recorded.delete(name);
      }
      for (const stream of wanted) if (!recorded.has(stream.name)) begin(stream);
    }

    /** Where there is no room for another stream, the rest is recorded; it is tried again. */
    function begin(stream: StoredStream): void {
      const { name } = stream;
      try {
        recorded.set(
          name,
          book.record(workspaceId, stream, (picture) => take(name, picture), payer),
        );
      } catch (error) {
        if (!(error instanceof Problem)) throw error;
        if (!refused.has(name)) note(workspaceId, "warn", `The stream ${name} is not recorded: ${error.detail}`);
        refused.add(name);
      }
    }
    const lookAgain = () => void look().catch(onFault);
    lookAgain();
    const timer = setInterval(lookAgain, LOOK_MS).unref();
    return () => {
      isOver = true;
      clearInterval(timer);
      for (const one of recorded.values()) one.end();
    };
  };
