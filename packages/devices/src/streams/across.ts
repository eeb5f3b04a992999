import { DEVICES_LIMITS, type TriedStream } from "@backplane/contract/devices";
import type { Bus, JsonValue } from "@backplane/kit/bus";
import type { Access } from "@backplane/kit/callers";
import { Problem, type ProblemCode } from "@backplane/kit/problems";
import type { Pushing } from "./push/desk.ts";
import { findStream } from "./route-parts.ts";
import type { StoredStream, StreamStore } from "./store.ts";
import type { StreamBook, Watching } from "./streams.ts";

/** A stream may take as long as it needs to show a picture. */
const ASK_MS = DEVICES_LIMITS.streamStartMs + 7_000;
const channelOf = (workspaceId: string): string => `devices:streams:of:${workspaceId}`;

/** What is asked of the instance that holds the workspace. Secrets of streams do not travel: it reads them itself. */
type Asked = { name: string } & (
  | { ask: "watch"; offer: string; access: Access }
  | { ask: "watch-hls"; access: Access }
  | { ask: "try"; access: Access }
  | { ask: "push"; offer: string }
);
type Answered =
  | { value: Watching | string | TriedStream | Pushing }
  | { problem: { code: ProblemCode; detail: string } };

/** The streams of all instances: each is got by the one that holds its workspace. Media goes from there to the browser. */
export type SharedStreams = {
  book: StreamBook;
  /** For the workspaces that are held here. What is returned ends its streams here: whoever looks connects again, to the next holder. */
  serve(workspaceId: string): Promise<() => Promise<void>>;
};

export function shareStreams(
  book: StreamBook,
  {
    bus,
    store,
    isHeldHere,
  }: { bus: Pick<Bus, "request" | "respond">; store: StreamStore; isHeldHere(workspaceId: string): Promise<boolean> },
): SharedStreams {
  async function doHere(workspaceId: string, stream: StoredStream, asked: Asked) {
    if (asked.ask === "watch") return book.watch(workspaceId, stream, asked.offer, asked.access);
    if (asked.ask === "watch-hls") return book.watchHls(workspaceId, stream, asked.access);
    if (asked.ask === "push") return book.push(workspaceId, stream, asked.offer);
    return book.tryOut(workspaceId, stream, asked.access);
  }
  async function doThere(workspaceId: string, asked: Asked): Promise<unknown> {
    const message = asked as unknown as JsonValue;
    const reply = await bus.request(channelOf(workspaceId), message, { timeoutMs: ASK_MS });
    if (!reply.ok)
      throw new Problem("not-ready", {
        detail: "The streams of this workspace are being taken over. Try again shortly.",
      });
    const answered = reply.value as Answered;
    if ("problem" in answered) throw new Problem(answered.problem.code, { detail: answered.problem.detail });
    return answered.value;
  }
  const run = async (workspaceId: string, stream: StoredStream, asked: Asked): Promise<unknown> =>
    (await isHeldHere(workspaceId)) ? doHere(workspaceId, stream, asked) : doThere(workspaceId, asked);

  return {
    book: {
      ...book,
      watch: async (workspaceId, stream, offer, access) =>
        (await run(workspaceId, stream, { ask: "watch", name: stream.name, offer, access })) as Watching,
      watchHls: async (workspaceId, stream, access) =>
        (await run(workspaceId, stream, { ask: "watch-hls", name: stream.name, access })) as string,
      tryOut: async (workspaceId, stream, access) =>
        (await run(workspaceId, stream, { ask: "try", name: stream.name, access })) as TriedStream,
      push: async (workspaceId, stream, offer) =>
        (await run(workspaceId, stream, { ask: "push", name: stream.name, offer })) as Pushing,
    },
    async serve(workspaceId) {
      const stop = await bus.respond(channelOf(workspaceId), async (message): Promise<Answered> => {
        const asked = message as unknown as Asked;
        try {
          return { value: await doHere(workspaceId, await findStream(store, workspaceId, asked.name), asked) };
        } catch (error) {
          if (!(error instanceof Problem)) throw error;
          return { problem: { code: error.code, detail: error.detail ?? error.title } };
        }
      });
      return async () => {
        await stop();
        book.endHere(workspaceId);
      };
    },
  };
}
