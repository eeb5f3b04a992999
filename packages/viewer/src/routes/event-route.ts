import { PAGE_PATH, type ViewerEvent } from "@backplane/contract/viewer";
import type { App } from "@backplane/kit/http";
import { createEventStreams } from "@backplane/kit/sse";
import type { Pastes } from "../services.ts";
import type { ViewerLimits } from "./dependencies.ts";
import { TAGS } from "./schemas.ts";

/** Streams every change to pages and programs. */
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
        summary: "Changes as an event stream",
        description:
          "First `hello` with `newest`, the largest id so far. Then `paste` with the whole screenshot whenever one is " +
          "saved, named or restored, and `removed` with its `id`.",
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
  /** Null before the first screenshot. */
  id(): string | null;
  stop(): void;
};

/**
 * The largest id so far, including removed screenshots. A screenshot is new if its id is larger; an event alone does not say
 * so, because names and restored screenshots are announced, too.
 */
export function followNewest(pastes: Pick<Pastes, "newest" | "onChange">): NewestId {
  let largest = pastes.newest()?.id ?? null;
  const stop = pastes.onChange((event) => {
    if (event.type === "paste" && (largest === null || event.paste.id > largest)) largest = event.paste.id;
  });
  return { id: () => largest, stop };
}
