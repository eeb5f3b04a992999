import { DEVICES_LIMITS, type RecordingMark } from "@backplane/contract/devices";
import type { Clock } from "@backplane/kit/clock";
import { Problem } from "@backplane/kit/problems";
import { createSlots } from "@backplane/kit/slots";
import { levelNumber } from "../foxglove/channels.ts";
import type { OpenHub } from "../hub/hub.ts";
import { memorySource } from "./memory-source.ts";
import type { RecordingBook } from "./recordings.ts";
import { openReplay, type ReplayHub, type ReplayOptions } from "./replay.ts";
import { openFileSource } from "./source.ts";

const { keptMs, maxReplays, maxReplaysPerPerson, maxMarks } = DEVICES_LIMITS;
const WARN = 3;

/** Opens replays for pages and programs. Each has its own: who looks back does not take anything from the others. */
export type Replays = {
  /** `recordingId` null: what is in memory. Throws what is in the way as a Problem. */
  open(
    workspaceId: string,
    recordingId: string | null,
    live: OpenHub,
    begin: { userId: string; atMs?: number | undefined },
  ): Promise<ReplayHub>;
};

export function createReplays({
  recordings,
  now,
  onFault,
}: {
  recordings: RecordingBook;
  now: Clock;
  onFault: (error: unknown) => void;
}): Replays {
  const slots = createSlots(maxReplaysPerPerson, maxReplays);

  async function sourceOf(
    workspaceId: string,
    recordingId: string | null,
    live: OpenHub,
  ): Promise<Pick<ReplayOptions, "source" | "recording" | "marks" | "gaps">> {
    if (recordingId === null) {
      const endMs = now();
      const source = memorySource(live.view, endMs - keptMs, endMs);
      return { source, recording: null, marks: marksOf(live), gaps: [] };
    }
    const stored = await recordings.find(workspaceId, recordingId);
    const source = await openFileSource(await recordings.path(workspaceId, stored));
    const { marks, gaps } = stored.summary;
    return { source, recording: stored, marks, gaps };
  }

  return {
    async open(workspaceId, recordingId, live, { userId, atMs }) {
      const release = slots.take(userId);
      if (!release) {
        const detail = `A person can have ${maxReplaysPerPerson} replays open, and all together ${maxReplays}. Close one first, or try again later.`;
        throw new Problem("too-many-of-these", { detail });
      }
      try {
        const replayed = await sourceOf(workspaceId, recordingId, live);
        const replay = await openReplay({ ...replayed, atMs, live, now, onFault });
        let isOver = false;
        return {
          ...replay,
          async end() {
            if (isOver) return;
            isOver = true;
            release();
            await replay.end();
          },
        };
      } catch (error) {
        release();
        throw error;
      }
    },
  };
}

const marksOf = ({ view }: OpenHub): RecordingMark[] =>
  view
    .lines()
    .filter(({ level }) => levelNumber(level) >= WARN)
    .slice(-maxMarks)
    .map(({ tMs, level, device, text }) => ({ tMs, level, text: `${device}: ${text}`.slice(0, 160) }));
