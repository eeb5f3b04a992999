import { type Batch, DEVICES_LIMITS, EventsQuery } from "@backplane/contract/devices";
import type { App } from "@backplane/kit/http";
import { Problem } from "@backplane/kit/problems";
import { createSlots } from "@backplane/kit/slots";
import { createEventStreams, type EventStream } from "@backplane/kit/sse";
import type { ReplayHub } from "../recordings/replay.ts";
import type { Replays } from "../recordings/replays.ts";
import { aboutDevices, DEVICES, NOT_STORED } from "../route-options.ts";
import type { Dependencies } from "../services.ts";
import type { OpenHub } from "./hub.ts";
import { type HubRoutes, hubOpener, timeOf } from "./routes.ts";

const { maxEventStreams, maxSubscriptions, closeAboveBytes } = DEVICES_LIMITS;
const STREAM_LIFE_MS = 3_600_000;
/** Of all workspaces. */
const MAX_STREAMS = 40 * maxEventStreams;
/** Longer than a frame. */
const ENDED_MS = 4 * DEVICES_LIMITS.frameMs;

type EventRoutes = HubRoutes & Pick<Dependencies, "followAccess"> & { replays: Replays };

/** …/devices/events: programs follow devices without a socket. */
export function serveDeviceEvents(app: App, routes: EventRoutes): void {
  const streams = createEventStreams({ maxUnsentBytes: closeAboveBytes });
  app.addHook("preClose", async () => streams.close());
  const open = hubOpener(routes);
  const slots = createSlots(maxEventStreams, MAX_STREAMS);

  app.get(
    `${DEVICES}/events`,
    {
      ...NOT_STORED,
      compress: false,
      schema: {
        ...aboutDevices(
          "What devices measure, as a stream of events",
          "Events: `devices` with all of them, then with each that changed; `values` with columns per channel; `lines`; `stopped`; `recording`; `sources` with the state of each. With `recording`: what was recorded, as it came then; `ended` is the last event.",
          ["too-many-requests", "device-unknown", "recording-unknown", "still-recording", "invalid-parameter"],
        ),
        querystring: EventsQuery,
        produces: ["text/event-stream"],
      },
    },
    async (request, reply) => {
      const { hub: live, workspace, access } = await open(request, "read");
      const release = slots.take(workspace.id);
      if (!release) throw tooManyStreams();
      const feed: { stream: EventStream | undefined; isOver: boolean } = { stream: undefined, isOver: false };
      const ends: (() => void)[] = [];
      /** Now if the program has left meanwhile: what is opened for it takes a while. */
      const atEnd = (stop: () => void): void => {
        if (feed.isOver) stop();
        else ends.push(stop);
      };
      const end = () => {
        feed.isOver = true;
        for (const stop of ends.splice(0)) stop();
        feed.stream?.end();
      };
      atEnd(release);
      try {
        const { recording, at, speed } = request.query;
        const atMs = timeOf("at", at);
        const begin = { userId: access.userId, atMs };
        const replay =
          recording === undefined ? undefined : await routes.replays.open(workspace.id, recording, live, begin);
        if (replay) atEnd(() => void replay.end().catch(routes.onFault));
        const hub = replay ?? live;
        const wants = channelsOf(replay?.recorded() ?? channelsNow(live), request.query);
        const stopFollowing = await routes.followAccess(access, end);
        if (!stopFollowing) throw new Problem("not-signed-in");
        atEnd(stopFollowing);
        const stream = streams.open(reply);
        feed.stream = stream;
        stream.onClose(end);
        if (feed.isOver) return end();
        const life = setTimeout(() => stream.end(), STREAM_LIFE_MS).unref();
        atEnd(() => clearTimeout(life));
        await feedStream(stream, hub, wants, request.query.rateHz, atEnd);
        if (!replay || feed.isOver) return;
        atEnd(endWith(replay, stream));
        replay.change({ speed: speed ?? 1 });
      } catch (error) {
        end();
        throw error;
      }
    },
  );
}

type Wanted = { device: string; capability: string }[];

const channelsNow = ({ view }: OpenHub): Wanted =>
  view.devices().flatMap(({ id, capabilities }) => capabilities.map((one) => ({ device: id, capability: one.id })));

function channelsOf(there: Wanted, { device, capability }: EventsQuery): Wanted {
  const fits = (wanted: string | undefined, id: string) => wanted === undefined || wanted === id;
  const all = there.filter((one) => fits(device, one.device) && fits(capability, one.capability));
  if (device !== undefined && all.length === 0) {
    throw new Problem("device-unknown", { detail: `There is no device ${device}. GET …/current/devices lists them.` });
  }
  return all.slice(0, maxSubscriptions);
}

async function feedStream(
  stream: EventStream,
  hub: OpenHub,
  wants: Wanted,
  rateHz: number | undefined,
  atEnd: (stop: () => void) => void,
): Promise<void> {
  const send = (event: string, data: unknown) => stream.send(event, JSON.stringify(data));
  const follow = async (stop: Promise<() => void>) => atEnd(await stop);
  send("devices", await hub.list());
  const rate = rateHz === undefined ? {} : { rateHz };
  await Promise.all(
    wants.map((want) =>
      follow(hub.subscribe({ ...want, ...rate }, (batch: Batch) => send("values", { ...want, ...batch }))),
    ),
  );
  atEnd(hub.control.onStopped((stopped) => send("stopped", { stopped })));
  atEnd(hub.recorder.onChange((news) => send("recording", news)));
  atEnd(hub.sources.onChange((sources) => send("sources", { sources })));
  await follow(hub.onDevices((changed, removed) => send("devices", { changed, removed })));
  await follow(hub.onLines((lines) => send("lines", { lines })));
}

/** The stream ends after everything that was played has been sent. */
function endWith(replay: ReplayHub, stream: EventStream): () => void {
  let timer: NodeJS.Timeout | undefined;
  const stop = replay.onReplay(({ speed }) => {
    if (speed > 0) return;
    timer = setInterval(() => {
      if (replay.isBehind()) return;
      stream.send("ended", "{}");
      stream.end();
    }, ENDED_MS);
  });
  return () => {
    stop();
    clearInterval(timer);
  };
}

const tooManyStreams = (): Problem =>
  new Problem("too-many-requests", {
    detail: `A workspace has at most ${maxEventStreams} event streams of devices.`,
    headers: { "retry-after": "5" },
  });
