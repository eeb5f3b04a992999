import { type Probe, SOCKET_PATH, type Ticket, WorkspaceParams } from "@backplane/contract/panels";
import type { App } from "@backplane/kit/http";
import { tooManyRequests } from "@backplane/kit/http";
import { createRateLimiter } from "@backplane/kit/rate-limiter";
import { Type } from "typebox";
import type { Services } from "../services.ts";
import { LIVE_LIMITS } from "./limits.ts";
import { createTickets } from "./tickets.ts";

const MINUTE_MS = 60_000;
const CURRENT = "/api/workspaces/editor/:owner/:repo/current";

const TicketAnswer = Type.Object({ ticket: Type.String(), socketPath: Type.String() });
const ProbeAnswer = Type.Object({
  browser_connected: Type.Boolean(),
  sse_connections: Type.Integer(),
  sharing: Type.Boolean(),
});

type LiveServices = Pick<Services, "workspaces" | "live" | "bus" | "now" | "onFault">;

export function serveLive(app: App, { workspaces, live, bus, now, onFault }: LiveServices): void {
  const tickets = createTickets(bus.claims);
  const limiter = createRateLimiter({
    ...{ name: "panels-tickets", limit: LIVE_LIMITS.ticketsPerMinute, windowMs: MINUTE_MS },
    ...{ redis: bus.redis, now, onFault },
  });

  app.post(
    `${CURRENT}/ticket`,
    {
      schema: {
        tags: ["panels"],
        summary: "A ticket that opens the workspace's socket, once, within 30 s",
        params: WorkspaceParams,
        response: { 201: TicketAnswer },
      },
    },
    async (request, reply) => {
      const { workspace, caller } = await workspaces.open(request);
      const { allowed, retryAfterMs } = await limiter.take(caller.userId);
      if (!allowed) throw tooManyRequests(retryAfterMs);
      const ticket = await tickets.issue({ workspaceId: workspace.id, userId: caller.userId });
      const answer: Ticket = { ticket, socketPath: SOCKET_PATH };
      return reply.code(201).header("cache-control", "no-store").send(answer);
    },
  );

  app.get(
    `${CURRENT}/probe`,
    {
      schema: {
        tags: ["panels"],
        summary: "Whether a browser has the workspace open, and shares its screen",
        params: WorkspaceParams,
        response: { 200: ProbeAnswer },
      },
    },
    async (request, reply) => {
      const { workspace } = await workspaces.open(request);
      const [browsers, streams] = await Promise.all([live.browsers(workspace.id), live.eventStreams(workspace.id)]);
      const answer: Probe = {
        browser_connected: browsers.length > 0,
        sse_connections: streams,
        sharing: browsers.some(({ sharing }) => sharing.active),
      };
      return reply.header("cache-control", "no-store").send(answer);
    },
  );
}
