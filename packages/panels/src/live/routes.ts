import { PANELS_LIMITS, Probe, SOCKET_PATH, Ticket, TicketQuery } from "@backplane/contract/panels";
import type { App } from "@backplane/kit/http";
import { tooManyRequests } from "@backplane/kit/http";
import { createRateLimiter } from "@backplane/kit/rate-limiter";
import { about, aboutReading, accessTo, CURRENT } from "../route-options.ts";
import type { Services } from "../services.ts";
import { createPanelTickets } from "./tickets.ts";

const MINUTE_MS = 60_000;

type LiveServices = Pick<Services, "workspaces" | "live" | "bus" | "now" | "onFault">;

export function serveLive(app: App, { workspaces, live, bus, now, onFault }: LiveServices): void {
  const tickets = createPanelTickets(bus.claims);
  const limiter = createRateLimiter({
    ...{ name: "panels-tickets", limit: PANELS_LIMITS.ticketsPerMinute, windowMs: MINUTE_MS },
    ...{ redis: bus.redis, now, onFault },
  });

  app.post(
    `${CURRENT}/ticket`,
    {
      schema: {
        ...about("A ticket that opens the workspace's socket, once, within 30 s", undefined, ["too-many-requests"]),
        querystring: TicketQuery,
        response: { 201: Ticket },
      },
    },
    async (request, reply) => {
      const { workspace, caller } = await workspaces.open(request, request.query);
      const { allowed, retryAfterMs } = await limiter.take(caller.userId);
      if (!allowed) throw tooManyRequests(retryAfterMs);
      const ticket = await tickets.issue({
        workspaceId: workspace.id,
        access: accessTo(caller, workspace),
      });
      const answer: Ticket = { ticket, socketPath: SOCKET_PATH };
      return reply.code(201).header("cache-control", "no-store").send(answer);
    },
  );

  app.get(
    `${CURRENT}/probe`,
    {
      schema: {
        ...aboutReading("Whether a browser has the workspace open, and shares its screen"),
        response: { 200: Probe },
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
