import { PAGE_PATH, type ViewerEvent } from "@backplane/contract/viewer";
import type { App } from "@backplane/kit/http";
import { createEventStreams } from "@backplane/kit/sse";
import type { Pastes } from "../services.ts";
import type { ViewerLimits } from "./dependencies.ts";
import { TAGS } from "./schemas.ts";

/** Pages and programs learn of every screenshot, name and removal as it happens. */
export function serveEvents(app: App, pastes: Pastes, { maxEventStreams }: ViewerLimits): void {
  const streams = createEventStreams({ maxStreams: maxEventStreams });
  const newest = followNewest(pastes);
  app.addHook("preClose", async () => {
    newest.stop();
    streams.close();
  });

  app.get(
    `${PAGE_PATH}/events`,
    {
      compress: false,
      schema: {
        tags: TAGS,
        summary: "Every change, as a stream of events",
        description:
          "`hello` first, with `newest`: the id above which screenshots are new. Then `paste`, with the screenshot as " +
          "it is now, whenever one is saved, named or put back; and `removed`, with its `id`.",
        produces: ["text/event-stream"],
      },
    },
    async (_request, reply) => {
      const stream = streams.open(reply);
      stream.send("hello", JSON.stringify({ newest: newest.id() }));
      stream.onClose(pastes.onChange((event) => stream.send(event.type, JSON.stringify(dataOf(event)))));
    },
  );
}

const dataOf = (event: ViewerEvent): object => (event.type === "paste" ? event.paste : { id: event.id });

export type NewestId = {
  /** No screenshot that was ever here had a larger one; null before the first. */
  id(): string | null;
  stop(): void;
};

/**
 * The largest id so far: what comes above it is new. An event alone does not say so, as it also tells of names, and of
 * screenshots that are put back.
 */
export function followNewest(pastes: Pick<Pastes, "newest" | "onChange">): NewestId {
  let largest = pastes.newest()?.id ?? null;
  const stop = pastes.onChange((event) => {
    if (event.type === "paste" && (largest === null || event.paste.id > largest)) largest = event.paste.id;
  });
  return { id: () => largest, stop };
}
