import type { NewStream, Stream, Streams, TriedStream } from "@backplane/contract/devices";
import type { JsonObject } from "@backplane/contract/panels";
import type { Call, WithFields } from "./recordings.ts";

/** A camera that does not answer is waited for. */
const TRY_MS = 30_000;

/** The cameras of a workspace. */
export const cameraCalls = (call: Call, withFields: WithFields, streams: string) => {
  const pathOf = (name: string): string => `${streams}/${encodeURIComponent(name)}`;
  return {
    /** With the state of each, and the kinds that there are. */
    list: async () => withFields<Streams>(await call("GET", streams), "streams", "kinds"),
    /** Nothing is connected until somebody looks. What is secret is never shown again. */
    add: async (stream: NewStream) => withFields<Stream>(await call("POST", streams, stream), "name", "state"),
    /** Settings that are not given stay. For another host, secrets have to be given again. */
    change: async (name: string, settings: JsonObject) =>
      withFields<Stream>(await call("PUT", pathOf(name), { settings }), "name", "state"),
    /** Connects, and says what comes or why nothing does. */
    tryOut: async (name: string) =>
      withFields<TriedStream>(await call("POST", `${pathOf(name)}/try`, undefined, TRY_MS), "state"),
    remove: async (name: string) => void (await call("DELETE", pathOf(name))),
  };
};
