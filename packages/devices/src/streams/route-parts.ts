import { DEVICE_ID } from "@backplane/contract/devices";
import { WorkspaceParams } from "@backplane/contract/panels";
import { Problem } from "@backplane/kit/problems";
import { Type } from "typebox";
import type { Dependencies } from "../services.ts";
import { FFMPEG_MISSING, type Ffmpeg } from "./ffmpeg.ts";
import { PLAYLIST } from "./hls/files.ts";
import type { IceLinks } from "./ice-servers.ts";
import type { StreamAdapter } from "./kinds.ts";
import type { StoredStream, StreamStore } from "./store.ts";
import type { StreamBook } from "./streams.ts";

export type StreamRoutes = Pick<Dependencies, "openWorkspace" | "authenticate" | "note" | "now"> & {
  adapters: readonly StreamAdapter[];
  store: StreamStore;
  book: StreamBook;
  ffmpeg: Pick<Ffmpeg, "version">;
  baseUrl: string;
  iceLinks: IceLinks;
};

export const OfStream = Type.Object({ ...WorkspaceParams.properties, stream: DEVICE_ID });

/** Of HLS. */
export const FILE = Type.String({ pattern: "^[a-z0-9][a-z0-9.-]{0,63}$", examples: [PLAYLIST] });

export const unknownStream = (name: string) =>
  new Problem("stream-unknown", { detail: `The workspace has no stream ${name}.` });

/** 404 if the workspace has no stream of this name. */
export async function findStream(store: StreamStore, workspaceId: string, name: string): Promise<StoredStream> {
  const stream = await store.find(workspaceId, name);
  if (!stream) throw unknownStream(name);
  return stream;
}

/** Without ffmpeg some kinds have nothing to show. */
export async function expectFfmpeg(
  { adapters, ffmpeg }: Pick<StreamRoutes, "adapters" | "ffmpeg">,
  { kind, settings }: StoredStream,
): Promise<void> {
  const isNeeded = adapters.find((known) => known.kind === kind)?.needsFfmpeg === true || settings.convert === true;
  if (isNeeded && (await ffmpeg.version()) === undefined)
    throw new Problem("ffmpeg-missing", { detail: FFMPEG_MISSING });
}
