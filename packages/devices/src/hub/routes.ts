import {
  DEVICES_LIMITS,
  DEVICES_SOCKET_PATH,
  Devices,
  History,
  HistoryQuery,
  LastValue,
} from "@backplane/contract/devices";
import { PANELS_LIMITS, Ticket } from "@backplane/contract/panels";
import { type App, tooManyRequests } from "@backplane/kit/http";
import { Problem } from "@backplane/kit/problems";
import { createRateLimiter } from "@backplane/kit/rate-limiter";
import type { Tickets } from "@backplane/kit/tickets";
import type { FastifyRequest } from "fastify";
import { csvOf } from "../history/csv.ts";
import type { HistoryBook } from "../history/history.ts";
import { aboutDevices, DEVICES, NOT_STORED, OfCapability } from "../route-options.ts";
import type { Dependencies } from "../services.ts";
import type { OpenHub } from "./hub.ts";
import type { Grant } from "./page.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const USUAL_POINTS = 1_000;

export type HubRoutes = Pick<Dependencies, "openWorkspace" | "bus" | "now" | "onFault"> & {
  openHub(workspaceId: string): Promise<OpenHub | undefined>;
  tickets: Tickets<Grant>;
  history: HistoryBook;
};

/** The hub of a request's workspace. */
export const hubOpener =
  ({ openWorkspace, openHub }: Pick<HubRoutes, "openWorkspace" | "openHub">) =>
  async (request: FastifyRequest, may: Parameters<Dependencies["openWorkspace"]>[1]) => {
    const opened = await openWorkspace(request, may);
    const hub = await openHub(opened.workspace.id);
    if (!hub) throw new Problem("not-found", { detail: "This workspace was removed meanwhile." });
    return { ...opened, hub };
  };

/** Devices and what they measure. */
export function serveHub(app: App, routes: HubRoutes): void {
  const open = hubOpener(routes);
  serveTickets(app, routes);

  app.get(
    DEVICES,
    {
      ...NOT_STORED,
      schema: { ...aboutDevices("The devices of the workspace, with what they can do"), response: { 200: Devices } },
    },
    async (request) => ({ ...(await (await open(request, "read")).hub.list()), history: routes.history.kept }),
  );

  app.get(
    `${DEVICES}/:device/:capability`,
    {
      ...NOT_STORED,
      schema: {
        ...aboutDevices("What a device measured last", undefined, ["device-unknown"]),
        ...{ params: OfCapability, response: { 200: LastValue } },
      },
    },
    async (request) => {
      const { hub } = await open(request, "read");
      const { device, capability } = request.params;
      return readLast(hub, device, capability);
    },
  );

  app.get(
    `${DEVICES}/:device/:capability/history`,
    {
      ...NOT_STORED,
      schema: {
        ...aboutDevices(
          "What a device has measured",
          "Samples as they came while they are in memory and few enough; otherwise lowest, highest, mean and last value of each second, minute or hour.",
          ["device-unknown", "invalid-parameter"],
        ),
        ...{ params: OfCapability, querystring: HistoryQuery, response: { 200: History } },
      },
    },
    async (request, reply) => {
      const { hub, workspace } = await open(request, "read");
      const history = await readHistory(hub, workspace.id, request.params, request.query, routes);
      if (request.query.format !== "csv") return history;
      return reply.type("text/csv; charset=utf-8").send(csvOf(history) as never);
    },
  );
}

function serveTickets(app: App, { openWorkspace, tickets, bus, now, onFault }: HubRoutes): void {
  const limiter = createRateLimiter({
    ...{ name: "devices-tickets", limit: PANELS_LIMITS.ticketsPerMinute, windowMs: MINUTE_MS },
    ...{ redis: bus.redis, now, onFault },
  });
  app.post(
    `${DEVICES}/ticket`,
    {
      ...NOT_STORED,
      schema: {
        ...aboutDevices("A ticket that opens the socket of the devices, once, within 30 s", undefined, [
          "too-many-requests",
        ]),
        response: { 201: Ticket },
      },
    },
    async (request, reply) => {
      const { workspace, caller, access, mayControl } = await openWorkspace(request, "read");
      const { allowed, retryAfterMs } = await limiter.take(caller.userId);
      if (!allowed) throw tooManyRequests(retryAfterMs);
      const ticket = await tickets.issue({
        ...{ workspaceId: workspace.id, access, mayControl, user: caller.userName },
        program: caller.kind === "Browser" ? null : caller.credentialName,
      });
      return reply.code(201).send({ ticket, socketPath: DEVICES_SOCKET_PATH });
    },
  );
}

/** 404 if there is no such channel. */
export async function readLast(hub: OpenHub, device: string, capability: string): Promise<LastValue> {
  const watch = hub.view.watch(device, capability);
  try {
    await watch.ready;
    return (await hub.read(device, capability)) ?? unknownChannel(device, capability);
  } finally {
    watch.stop();
  }
}

function unknownChannel(device: string, capability: string): never {
  throw new Problem("device-unknown", {
    detail: `There is no device ${device} with a capability ${capability}. GET …/current/devices lists them.`,
  });
}

async function readHistory(
  hub: OpenHub,
  workspaceId: string,
  { device, capability }: { device: string; capability: string },
  query: HistoryQuery,
  { history, now }: Pick<HubRoutes, "history" | "now">,
): Promise<History> {
  const toMs = timeOf("to", query.to) ?? now();
  const fromMs = timeOf("from", query.from) ?? toMs - HOUR_MS;
  const declared = hub.view.device(device)?.capabilities.find(({ id }) => id === capability)?.fields ?? {};
  const isNumber = (name: string) => declared[name]?.datatype === "number" || declared[name]?.datatype === "integer";
  const fields = query.fields?.split(",").slice(0, DEVICES_LIMITS.maxFields) ?? Object.keys(declared).filter(isNumber);
  if (fields.length === 0) unknownChannel(device, capability);
  const ring = hub.view.ring(device, capability);
  const samples = [];
  for (let number = ring?.first ?? 0; number < (ring?.next ?? 0); number += 1) {
    const kept = ring?.sample(number);
    if (kept) samples.push({ device, capability, tMs: kept.tMs, values: kept.values });
  }
  const points = query.points ?? USUAL_POINTS;
  return history.read({ workspaceId, device, capability, fields, fromMs, toMs, points }, samples);
}

export function timeOf(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const ms = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Date.parse(text);
  if (Number.isFinite(ms)) return ms;
  throw new Problem("invalid-parameter", {
    detail: `"${name}" is not a time. Write it as 2026-07-28T14:30:00Z, or as milliseconds since 1970.`,
    errors: [{ parameter: name, message: "is not a time" } as never],
  });
}
