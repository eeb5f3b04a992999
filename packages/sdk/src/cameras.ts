import type { AddedStream, NewStream, PushAccess, Stream, Streams, TriedStream } from "@backplane/contract/devices";
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
    /** Nothing is connected until somebody looks. What is secret is never shown again; so is the key of a stream to which pictures are pushed. */
    add: async (stream: NewStream) => withFields<AddedStream>(await call("POST", streams, stream), "name", "state"),
    /** Settings that are not given stay. For another host, secrets have to be given again. */
    change: async (name: string, settings: JsonObject) =>
      withFields<Stream>(await call("PUT", pathOf(name), { settings }), "name", "state"),
    /** Connects, and says what comes or why nothing does. */
    tryOut: async (name: string) =>
      withFields<TriedStream>(await call("POST", `${pathOf(name)}/try`, undefined, TRY_MS), "state"),
    /** Another key for pushing pictures to a stream of the kind `whip`; the one before does not work any more. */
    newKey: async (name: string) => withFields<PushAccess>(await call("POST", `${pathOf(name)}/key`), "address", "key"),
    remove: async (name: string) => void (await call("DELETE", pathOf(name))),
  };
};
