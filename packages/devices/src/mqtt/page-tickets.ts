import { randomUUID } from "node:crypto";
import { DEVICES_LIMITS } from "@backplane/contract/devices";
import { PANELS_LIMITS, Ticket } from "@backplane/contract/panels";
import type { Access } from "@backplane/kit/callers";
import { type App, tooManyRequests } from "@backplane/kit/http";
import { createRateLimiter } from "@backplane/kit/rate-limiter";
import { createTickets } from "@backplane/kit/tickets";
import { aboutDevices, DEVICES, NOT_STORED } from "../route-options.ts";
import type { Dependencies } from "../services.ts";
import type { KeyRow } from "./keys.ts";
import { MQTT_PATH } from "./websocket.ts";

const MINUTE_MS = 60_000;

type Grant = { workspaceId: string; user: string; access: Access };

export type PageTickets = {
  /** What a ticket opens, once: a connection that only listens. */
  take(ticket: string): Promise<{ key: KeyRow; access: Access } | undefined>;
  /** `refuse`: throws where there is no broker of ours. */
  addRoutes(app: App, refuse?: () => void): void;
};

/** Pages connect to `/mqtt` with a ticket as password, so that no key of a device is ever in a browser. */
export function createPageTickets({
  bus,
  now,
  openWorkspace,
  onFault,
}: Pick<Dependencies, "bus" | "now" | "openWorkspace" | "onFault">): PageTickets {
  const tickets = createTickets<Grant>(bus.claims, { name: "devices-mqtt", lifeMs: DEVICES_LIMITS.ticketLifeMs });
  const limiter = createRateLimiter({
    ...{ name: "devices-mqtt-tickets", limit: PANELS_LIMITS.ticketsPerMinute, windowMs: MINUTE_MS },
    ...{ redis: bus.redis, now, onFault },
  });
  return {
    async take(ticket) {
      const grant = await tickets.take(ticket);
      if (!grant) return undefined;
      const key: KeyRow = {
        ...{ id: `page-${randomUUID()}`, workspace_id: grant.workspaceId, name: `page of ${grant.user}` },
        ...{ device: null, gateway: 0, created_at_ms: now(), last_seen_at_ms: null, isViewer: true },
      };
      return { key, access: grant.access };
    },
    addRoutes(app, refuse) {
      app.post(
        `${DEVICES}/mqtt`,
        {
          ...NOT_STORED,
          schema: {
            ...aboutDevices(
              "A ticket with which a page listens to the broker of the workspace, once, within 30 s",
              "It is the password of MQTT over WebSocket at `socketPath`. The connection only listens, and ends with the session or key that made it.",
              ["too-many-requests", "outside-broker"],
            ),
            response: { 201: Ticket },
          },
        },
        async (request, reply) => {
          const { workspace, caller, access } = await openWorkspace(request, "read");
          refuse?.();
          const { allowed, retryAfterMs } = await limiter.take(caller.userId);
          if (!allowed) throw tooManyRequests(retryAfterMs);
          const ticket = await tickets.issue({ workspaceId: workspace.id, user: caller.userName, access });
          return reply.code(201).send({ ticket, socketPath: MQTT_PATH });
        },
      );
    },
  };
}
