import { type Layout, PANELS_LIMITS } from "@backplane/contract/panels";
import type { App } from "@backplane/kit/http";
import { Problem } from "@backplane/kit/problems";
import { createEventStreams, type EventStream } from "@backplane/kit/sse";
import { workspaceRemoved } from "../problems.ts";
import { aboutReading, accessTo, CURRENT, READING } from "../route-options.ts";
import type { Services, Workspace } from "../services.ts";

const { maxBrowsers, eventStreamLifeMs } = PANELS_LIMITS;

type EventServices = Pick<Services, "workspaces" | "live" | "followAccess" | "onFault">;

/** …/current/events: programs learn of every change without polling. */
export function serveEvents(app: App, { workspaces, live, followAccess, onFault }: EventServices): void {
  const streams = createEventStreams();
  app.addHook("preClose", async () => streams.close());

  app.get(
    `${CURRENT}/events`,
    {
      ...READING,
      compress: false,
      schema: {
        ...aboutReading(
          "Every change, as a stream of events",
          'Data only: `{"type":"connected","revision"}` first, then `{"type":"workspace_updated","revision"}` each time.',
          ["too-many-requests"],
        ),
        produces: ["text/event-stream"],
      },
    },
    async (request, reply) => {
      const { workspace, caller } = await workspaces.open(request);
      const { id } = workspace;
      const leave = await live.countStream(id);
      if (!leave) throw tooManyStreams();
      const news = createRevisionFeed();
      let stop = async () => {};
      let stopFollowing: (() => void) | undefined;
      try {
        stop = await workspaces.watch(id, news.update, news.end);
        // Read after the watch began, so that no change falls between the two.
        const layout = await workspaces.read(id);
        if (!layout) throw workspaceRemoved();
        stopFollowing = await followAccess(accessTo(caller, workspace), news.end);
        if (!stopFollowing) throw new Problem("not-signed-in");
        const stream = streams.open(reply);
        const life = setTimeout(() => stream.end(), eventStreamLifeMs).unref();
        stream.onClose(() => {
          clearTimeout(life);
          stopFollowing?.();
          leave();
          stop().catch(onFault);
        });
        news.connect(stream, workspace, layout);
      } catch (error) {
        leave();
        stopFollowing?.();
        await stop();
        throw error;
      }
    },
  );
}

/** Sends "connected" first, then each newer revision once. */
function createRevisionFeed() {
  let stream: EventStream | undefined;
  let [newest, told] = [0, 0];
  let isEnded = false;
  const send = (event: object) => stream?.send(undefined, JSON.stringify(event));
  function update({ revision }: Pick<Layout, "revision">): void {
    newest = Math.max(newest, revision);
    if (!stream || newest <= told) return;
    told = newest;
    send({ type: "workspace_updated", revision: told });
  }
  return {
    update,
    end(): void {
      isEnded = true;
      stream?.end();
    },
    connect(opened: EventStream, { owner, repo }: Workspace, { revision }: Layout): void {
      stream = opened;
      told = revision;
      send({ type: "connected", revision, owner, repo });
      update({ revision: newest });
      if (isEnded) stream.end();
    },
  };
}

const tooManyStreams = (): Problem =>
  new Problem("too-many-requests", {
    detail: `A workspace has at most ${maxBrowsers} event streams.`,
    headers: { "retry-after": "5" },
  });
