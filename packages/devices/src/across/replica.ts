import type { Bus, JsonValue } from "@backplane/kit/bus";
import { Problem } from "@backplane/kit/problems";
import type { View } from "../hub/view.ts";
import type { Recorder, SharedControl, SourceStatuses } from "../services.ts";
import { createForwardedControl } from "./forwarded-control.ts";
import { createForwardedRecorder } from "./forwarded-recorder.ts";
import { createHolderState } from "./holder-state.ts";
import { createMirrors } from "./mirrors.ts";
import { type Call, callChannel, type NumberedNews, newsChannel, type Opened, type Piece } from "./wire.ts";

const CALL_MS = 5_000;
const ALIVE_EVERY_MS = 1_000;

/** The devices of a workspace that another instance holds. */
export type Replica = {
  view: View;
  control: SharedControl;
  recorder: Recorder;
  sources: SourceStatuses;
  close(): Promise<void>;
};

export async function openReplica(
  workspaceId: string,
  { bus, onFault, onEnded }: { bus: Bus; onFault: (error: unknown) => void; onEnded: () => void },
): Promise<Replica | undefined> {
  const state = createHolderState(onFault);
  const { devices, listeners } = state;
  const accepted = new Map<string, () => void>();
  let isOpen = false;
  let isClosed = false;
  /** What was heard before the holder has answered; some of it is in the answer. */
  let early: NumberedNews[] = [];

  async function call(message: Call, timeoutMs = CALL_MS): Promise<JsonValue> {
    const reply = await bus.request(callChannel(workspaceId), message as unknown as JsonValue, { timeoutMs });
    if (reply.ok) return reply.value;
    if (reply.reason === "no-responder") end();
    throw new Problem("not-ready", { detail: "The instance that holds these devices did not answer. Try again." });
  }

  const mirrors = createMirrors({
    device: (id) => devices.get(id),
    fetch: async ({ device, capability }, ring, from) =>
      (await call({ op: "watch", device, capability, ring, from })) as Piece | null,
    onSample: listeners.sample.emit,
  });

  function end(): void {
    if (isClosed) return;
    isClosed = true;
    mirrors.close();
    if (isOpen) onEnded();
  }

  function hear(news: NumberedNews): void {
    if (news.kind === "samples") mirrors.hear(news.pieces);
    else if (news.kind === "accepted") accepted.get(news.call)?.();
    else if (news.kind === "ended") end();
    else if (isOpen) state.hear(news);
    else early.push(news);
  }

  const unsubscribe = await bus.subscribe(newsChannel(workspaceId), (message) =>
    hear(message as unknown as NumberedNews),
  );
  // What was told while the bus was away is not told again.
  const stopListening = bus.onStateChange((now) => void (now === "up" && end()));
  const timer = setInterval(() => void call({ op: "alive" }).catch(() => undefined), ALIVE_EVERY_MS).unref();
  async function close(): Promise<void> {
    isClosed = true;
    clearInterval(timer);
    stopListening();
    mirrors.close();
    await unsubscribe().catch(onFault);
  }

  try {
    const opened = (await call({ op: "open" })) as unknown as Opened;
    state.open(opened);
    for (let after = opened.next; after !== undefined; ) {
      const more = (await call({ op: "open", after })) as unknown as Opened;
      state.openMore(more);
      after = more.next;
    }
    for (const news of early) if (news.number > opened.told) state.hear(news);
    early = [];
  } catch (error) {
    await close();
    if (error instanceof Problem) return undefined;
    throw error;
  }
  // The holder has ended meanwhile.
  if (isClosed) {
    await close();
    return undefined;
  }
  isOpen = true;

  return {
    view: {
      devices: () => [...devices.values()],
      device: (id) => devices.get(id),
      ring: mirrors.ring,
      lines: state.lines,
      on: (event, listener) => listeners[event].add(listener as never),
      watch: mirrors.watch,
    },
    control: createForwardedControl({ call, accepted, stopped: state.stopped, onStopped: listeners.stopped.add }),
    recorder: createForwardedRecorder({ call, current: state.recording, onChange: listeners.recording.add }),
    sources: { all: state.sources, onChange: listeners.sources.add },
    close,
  };
}
