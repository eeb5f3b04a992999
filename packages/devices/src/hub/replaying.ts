import type { Device, DevicesHubMessage, DevicesPageMessage } from "@backplane/contract/devices";
import { Problem } from "@backplane/kit/problems";
import type { ReplayHub } from "../recordings/replay.ts";

type ReplayMessage = Extract<DevicesPageMessage, { type: "replay" | "live" }>;

/** The replay of one page: all its panels go back in time together, and come back together. */
export function createReplaying({
  open,
  leave,
  show,
  refeed,
  tell,
}: {
  open(recording: string | null, atMs: number | undefined): Promise<ReplayHub>;
  /** What the page holds is let go of: nobody controls what they do not see. */
  leave(): Promise<void>;
  /** Undefined: what is live. */
  show(replay: ReplayHub | undefined): Promise<Device[]>;
  refeed(): void;
  tell(message: DevicesHubMessage): void;
}) {
  let current: ReplayHub | undefined;
  let isClosed = false;
  let last: Promise<void> = Promise.resolve();

  async function begin({
    id,
    recording = null,
    atMs,
    speed,
    loop,
  }: Extract<ReplayMessage, { type: "replay" }>): Promise<void> {
    const replay = await open(recording, atMs);
    if (isClosed) return replay.end();
    await leave();
    const before = current;
    current = replay;
    replay.change({ speed, loop });
    const devices = await show(replay);
    replay.onJump(refeed);
    tell({ type: "replay", id, replay: replay.replay(), devices });
    replay.onReplay((now) => tell({ type: "replay", replay: now }));
    refeed();
    await before?.end();
  }

  async function end(id: number): Promise<void> {
    const before = current;
    current = undefined;
    if (!before) return tell({ type: "replay", id, replay: null });
    const devices = await show(undefined);
    tell({ type: "replay", id, replay: null, devices });
    refeed();
    await before.end();
  }

  async function run(message: ReplayMessage): Promise<void> {
    if (message.type === "live") return end(message.id);
    const { id, recording, atMs, speed, loop } = message;
    if (recording !== undefined || !current) return begin(message);
    // Its own listener tells the page.
    current.change({ atMs, speed, loop });
    tell({ type: "replay", id, replay: current.replay() });
  }

  return {
    /** One after the other, in the order in which they came. */
    follow(message: ReplayMessage): Promise<void> {
      last = last
        .then(() => (isClosed ? undefined : run(message)))
        .catch((error) => {
          if (!(error instanceof Problem)) throw error;
          const { code, detail, title } = error;
          tell({ type: "refused", id: message.id, code, detail: detail ?? title });
        });
      const result = last;
      last = last.catch(() => undefined);
      return result;
    },
    async close(): Promise<void> {
      isClosed = true;
      await last;
      await current?.end();
    },
  };
}
