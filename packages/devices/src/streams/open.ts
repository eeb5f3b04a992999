import { networkInterfaces } from "node:os";
import type { App } from "@backplane/kit/http";
import type { Settings } from "@backplane/kit/settings";
import type { Dependencies } from "../services.ts";
import { type NetworkSettings, openNetwork } from "../sources/network.ts";
import { shareStreams } from "./across.ts";
import { createFfmpeg } from "./ffmpeg.ts";
import { createIceLinks } from "./ice-servers.ts";
import { STREAM_ADAPTERS } from "./kinds.ts";
import { type MediaPlace, openMedia } from "./media.ts";
import type { Picture } from "./picture.ts";
import { servePush } from "./push/routes.ts";
import { createVideoRecorder } from "./record.ts";
import { serveStreams } from "./routes.ts";
import { createStreamStore } from "./store.ts";
import { openStreamBook } from "./streams.ts";

export type StreamSettings = Pick<Settings, "streamAllow" | "streamHosts" | "streamPorts" | "streamRelays">;

/** RTSP, also inside TLS: browsers refuse the first one. */
const RTSP_PORTS = [554, 322];

export type OpenStreams = {
  addRoutes(scope: App): void;
  /** For those who push pictures: they have a key of a stream, and no account. */
  addPushRoutes(scope: App): void;
  /** Gets the pictures of the streams of a workspace that are recorded, until what is returned is called. */
  record(workspaceId: string, take: (stream: string, picture: Picture) => void, payer?: string): () => void;
  /** For the workspaces that are held here, until what is returned is called. */
  serve(workspaceId: string): Promise<() => Promise<void>>;
  isUsed(workspaceId: string): boolean;
  removeOf(workspaceId: string): Promise<void>;
  close(): Promise<void>;
};

/** Pictures of cameras: where they come from, and who looks at them. */
export async function openStreams(
  dependencies: Dependencies & { settings: NetworkSettings & StreamSettings },
  /** Whether this instance holds the devices of a workspace: it then gets its streams as well. */
  isHeldHere: (workspaceId: string) => Promise<boolean>,
): Promise<OpenStreams> {
  const { database, settings, bus, now, metrics, onFault } = dependencies;
  const store = createStreamStore(database);
  const ffmpeg = createFfmpeg(now);
  const network = openNetwork(settings, { allow: settings.streamAllow, ports: RTSP_PORTS });
  const media = openMedia(placeOf(settings), onFault);
  const note = (workspaceId: string, level: "info" | "warn", message: string) =>
    dependencies.note(workspaceId, level, "devices", message);
  const book = await openStreamBook({
    ...{ ...dependencies, note },
    ...{ adapters: STREAM_ADAPTERS, tools: { network, ffmpeg, media }, media },
  });
  const isAlone = bus.engine === "in-process";
  const shared = shareStreams(book, { bus, store, isHeldHere: async (id) => isAlone || isHeldHere(id) });
  const routes = {
    ...{ ...dependencies, adapters: STREAM_ADAPTERS, store, book: shared.book, ffmpeg },
    baseUrl: settings.baseUrl,
    iceLinks: createIceLinks(settings.streamRelays, now),
  };
  metrics.gauge("backplane_streams", "Streams of cameras that this instance gets", book.pulled);
  metrics.gauge("backplane_stream_viewers", "Who looks at streams of this instance", book.viewers);
  return {
    addRoutes: (scope) => serveStreams(scope, routes),
    addPushRoutes: (scope) => servePush(scope, routes),
    record: createVideoRecorder({ store, book, note, onFault }),
    serve: async (workspaceId) => (isAlone ? async () => {} : shared.serve(workspaceId)),
    isUsed: book.isUsed,
    async removeOf(workspaceId) {
      await book.changed(workspaceId);
      await store.removeOf(workspaceId);
    },
    close: book.close,
  };
}

/** As the pages: on this machine only, unless Backplane is reached from others. STREAM_HOSTS are reached from anywhere. */
function placeOf({ host, streamHosts, streamPorts }: Pick<Settings, "host"> & StreamSettings): MediaPlace {
  const isAny = host === "0.0.0.0" || host === "::";
  const own = isAny ? ["127.0.0.1", ...ownAddresses()] : [host === "localhost" ? "127.0.0.1" : host];
  const bind = isAny || streamHosts.length > 0 ? undefined : own[0];
  return { hosts: [...new Set([...streamHosts, ...own])], bind, ports: streamPorts };
}

const ownAddresses = (): string[] =>
  Object.values(networkInterfaces()).flatMap((all) =>
    (all ?? []).filter(({ family, internal }) => family === "IPv4" && !internal).map(({ address }) => address),
  );
