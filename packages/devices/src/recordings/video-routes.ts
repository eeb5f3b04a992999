import { DEVICE_ID } from "@backplane/contract/devices";
import { limitConcurrency, queueByKey } from "@backplane/kit/concurrency";
import { type App, tooManyRequests } from "@backplane/kit/http";
import { Problem } from "@backplane/kit/problems";
import { Type } from "typebox";
import { aboutDevices, NOT_STORED, OfRecording, RECORDINGS } from "../route-options.ts";
import type { Dependencies } from "../services.ts";
import { FILE } from "../streams/route-parts.ts";
import type { RecordingBook } from "./recordings.ts";
import { indexVideo, type VideoIndex, videoFile } from "./video-file.ts";

/** Indexes that are kept: a player asks for many parts of one recording. */
const MAX_INDEXES = 16;
/** Parts that are made at a time: each is read, unpacked and put together in memory. A person has one, and some that wait. */
const AT_ONCE = 2;
const MAX_WAITING_PER_PERSON = 32;
const BUSY_MS = 1_000;

const OfVideo = Type.Object({ ...OfRecording.properties, stream: DEVICE_ID, file: FILE });

type VideoRoutes = Pick<Dependencies, "openWorkspace"> & { recordings: RecordingBook };

/** The pictures of a recording, as HLS: whoever replays it asks for the parts that they look at. */
export function serveVideo(app: App, { openWorkspace, recordings }: VideoRoutes): void {
  const indexes = new Map<string, Promise<VideoIndex | undefined>>();
  const ofPerson = queueByKey({ maxWaiting: MAX_WAITING_PER_PERSON, whenFull: () => tooManyRequests(BUSY_MS) });
  const ofAll = limitConcurrency({ atOnce: AT_ONCE });

  function indexOf(path: string, stream: string): Promise<VideoIndex | undefined> {
    const key = `${stream} ${path}`;
    const index = indexes.get(key) ?? indexVideo(path, stream);
    indexes.delete(key);
    indexes.set(key, index);
    index.catch(() => indexes.delete(key));
    const [oldest] = indexes.keys();
    if (indexes.size > MAX_INDEXES && oldest !== undefined) indexes.delete(oldest);
    return index;
  }

  app.get(
    `${RECORDINGS}/:recording/streams/:stream/:file`,
    {
      ...NOT_STORED,
      schema: {
        ...aboutDevices(
          "A file of a recorded stream, as HLS: its playlist is index.m3u8",
          "The first picture is at the beginning of the video, and the playlist says when it was.",
          ["recording-unknown", "still-recording", "stream-unknown", "too-many-requests"],
        ),
        ...{ params: OfVideo, produces: ["application/vnd.apple.mpegurl", "video/mp4"] },
      },
    },
    async (request, reply) => {
      const { workspace, access } = await openWorkspace(request, "read");
      const { recording, stream, file } = request.params;
      const found = await ofPerson.run(access.userId, () =>
        ofAll(async () => {
          const path = await recordings.path(workspace.id, await recordings.find(workspace.id, recording));
          const index = await indexOf(path, stream);
          return index && videoFile(path, stream, index, file);
        }),
      );
      if (!found) throw new Problem("stream-unknown", { detail: `The recording has no such pictures of ${stream}.` });
      return reply.type(found.type).send(found.bytes as never);
    },
  );
}
