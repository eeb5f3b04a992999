import { type Static, Type } from "typebox";
import { JSON_OBJECT, type JsonObject } from "../panels/common.ts";
import { DEVICE_ID } from "./device.ts";

/** A way to get pictures. `settings`: a JSON Schema of an object; what is `writeOnly` in it is never shown again. */
export const StreamKind = Type.Object({
  kind: Type.String(),
  name: Type.String(),
  description: Type.String(),
  needsFfmpeg: Type.Boolean(),
  settings: JSON_OBJECT,
});
export type StreamKind = Omit<Static<typeof StreamKind>, "settings"> & { settings: JsonObject };

/** `idle`: nobody looks. `refused`: there is no picture, and `reason` says why; it is tried again while somebody looks. */
const StreamState = Type.Enum(["idle", "connecting", "playing", "refused"]);

const STATUS = {
  state: StreamState,
  reason: Type.Optional(Type.String()),
  /** `codec`: the camera answers, and browsers do not play what it sends. */
  fault: Type.Optional(Type.Enum(["codec"])),
  codec: Type.Optional(Type.String({ examples: ["H.264"] })),
  profile: Type.Optional(Type.String({ examples: ["baseline"] })),
};
export const StreamStatus = Type.Object(STATUS);
export type StreamStatus = Static<typeof StreamStatus>;

/** A stream of a workspace. `secrets`: the settings that are set and not shown. */
export const Stream = Type.Object({
  name: DEVICE_ID,
  kind: Type.String(),
  settings: JSON_OBJECT,
  secrets: Type.Array(Type.String()),
  ...STATUS,
  viewers: Type.Integer({ minimum: 0 }),
});
export type Stream = Omit<Static<typeof Stream>, "settings"> & { settings: JsonObject };

/** Where and with which key pictures are pushed to a stream (WHIP). The key is shown once. */
export const PushAccess = Type.Object({
  address: Type.String({
    examples: ["https://backplane.example.org/api/whip/7b0cf2b8-6a4e-4d3f-9d59-3a3f5a0c6a11/bench"],
  }),
  key: Type.String({ examples: ["bpc_kX3vN0c2Yw5pQ8tR1uZ4bE7hJ6mL9oS2dF5gA8xC1vI"] }),
});
export type PushAccess = Static<typeof PushAccess>;

/** POST …/streams. `push`: of a stream to which pictures are pushed. */
export const AddedStream = Type.Object({ ...Stream.properties, push: Type.Optional(PushAccess) });
export type AddedStream = Stream & { push?: PushAccess };

/** GET …/streams. `ffmpeg`: its version; null: it is not installed. */
export const Streams = Type.Object({
  streams: Type.Array(Stream),
  kinds: Type.Array(StreamKind),
  ffmpeg: Type.Union([Type.String(), Type.Null()]),
});
export type Streams = { streams: Stream[]; kinds: StreamKind[]; ffmpeg: string | null };

/** GET …/streams/{name}. `nowMs`: by the server, for the delay of what is seen. */
export const StreamNow = Type.Object({ ...Stream.properties, nowMs: Type.Number() });
export type StreamNow = Stream & { nowMs: number };

/** POST …/streams */
export const NewStream = Type.Object({
  name: DEVICE_ID,
  kind: Type.String({ minLength: 1, maxLength: 64 }),
  settings: Type.Optional(JSON_OBJECT),
});
export type NewStream = { name: string; kind: string; settings?: JsonObject };

/** PUT …/streams/{name}: settings that are not given stay. */
export const ChangeStream = Type.Object({ settings: JSON_OBJECT });
export type ChangeStream = { settings: JsonObject };

/** POST …/streams/{name}/try */
export const TriedStream = Type.Object({ ...STATUS, tookMs: Type.Integer({ minimum: 0 }) });
export type TriedStream = Static<typeof TriedStream>;

/** POST …/streams/{name}/hls. `playlist`: its address on this server. */
export const HlsViewer = Type.Object({ playlist: Type.String() });
export type HlsViewer = Static<typeof HlsViewer>;
