import { type Batch, DEVICES_LIMITS, type LastValue, Waited, WaitQuery } from "@backplane/contract/devices";
import type { JsonData, JsonObject } from "@backplane/contract/panels";
import type { App } from "@backplane/kit/http";
import { Problem } from "@backplane/kit/problems";
import { createSlots } from "@backplane/kit/slots";
import { aboutDevices, DEVICES, NOT_STORED, OfCapability } from "../route-options.ts";
import type { Dependencies } from "../services.ts";
import type { OpenHub } from "./hub.ts";
import { type HubRoutes, hubOpener, readLast } from "./routes.ts";

const { maxWaits, maxEventStreams, waitMs } = DEVICES_LIMITS;
/** Of all workspaces. */
const MAX_WAITS = 40 * maxEventStreams;

type Fits = (fields: JsonObject) => boolean;

/** …/{capability}/wait: programs that cannot read a stream wait for one value. */
export function serveWaits(app: App, routes: HubRoutes & Pick<Dependencies, "followAccess">): void {
  const open = hubOpener(routes);
  const slots = createSlots(maxWaits, MAX_WAITS);
  const closing = new AbortController();
  app.addHook("preClose", async () => closing.abort());

  app.get(
    `${DEVICES}/:device/:capability/wait`,
    {
      ...NOT_STORED,
      schema: {
        ...aboutDevices(
          "Wait until a value is above, below or equal to something, or for the next sample",
          "Answers at once if the last value is already so. Every sample counts, however short it is so. `reached` is false if the time was over first.",
          ["device-unknown", "invalid-parameter", "too-many-requests"],
        ),
        ...{ params: OfCapability, querystring: WaitQuery, response: { 200: Waited } },
      },
    },
    async (request, reply) => {
      const { hub, workspace, access } = await open(request, "read");
      const fits = conditionOf(request.query);
      const release = slots.take(workspace.id);
      if (!release) throw tooManyWaits();
      const gone = new AbortController();
      reply.raw.once("close", () => gone.abort());
      const ended = new AbortController();
      try {
        const stopFollowing = await routes.followAccess(access, () => ended.abort());
        if (!stopFollowing) throw new Problem("not-signed-in");
        const signal = AbortSignal.any([
          ...[closing.signal, gone.signal, ended.signal],
          AbortSignal.timeout(request.query.timeoutMs ?? waitMs),
        ]);
        try {
          const waited = await waitFor(hub, request.params, fits, { signal, now: routes.now });
          if (ended.signal.aborted) throw new Problem("not-signed-in");
          return waited;
        } finally {
          stopFollowing();
        }
      } finally {
        release();
      }
    },
  );
}

type Wait = { signal: AbortSignal; now: () => number };

/** Undefined `fits`: the next sample, whatever it is. */
async function waitFor(
  hub: OpenHub,
  channel: { device: string; capability: string },
  fits: Fits | undefined,
  { signal, now }: Wait,
): Promise<Waited> {
  const { device, capability } = channel;
  const found = Promise.withResolvers<LastValue | undefined>();
  const end = () => found.resolve(undefined);
  signal.addEventListener("abort", end);
  const watch = hub.view.watch(device, capability);
  let stop = () => {};
  try {
    await watch.ready;
    const ring = hub.view.ring(device, capability);
    // Taken before the last value is read: what comes in between is not missed.
    const sinceMs = ring?.sample(ring.next - 1)?.tMs ?? 0;
    const last = await readLast(hub, device, capability);
    if (last.at !== null && fits?.(last.fields)) return { reached: true, ...last };
    stop = await hub.subscribe({ device, capability, sinceMs }, (batch) => {
      const row = rowsOf(batch).find(({ fields }) => fits?.(fields) ?? true);
      if (row) found.resolve({ at: new Date(row.tMs).toISOString(), fields: row.fields, ageMs: now() - row.tMs });
    });
    if (signal.aborted) end();
    const reached = await found.promise;
    return reached ? { reached: true, ...reached } : { reached: false, ...(await readLast(hub, device, capability)) };
  } finally {
    signal.removeEventListener("abort", end);
    stop();
    watch.stop();
  }
}

const rowsOf = ({ tMs, fields }: Batch): { tMs: number; fields: JsonObject }[] =>
  tMs.map((at, i) => {
    const values = Object.entries(fields).map(([name, column]) => [name, column[i] ?? null] as const);
    return { tMs: at, fields: Object.fromEntries(values.filter(([, value]) => value !== null)) as JsonObject };
  });

function conditionOf({ field, above, below, equals }: WaitQuery): Fits | undefined {
  const isAsked = above !== undefined || below !== undefined || equals !== undefined;
  if (field === undefined) {
    if (isAsked) throw wrong("field", "Say which field is above, below or equal to it.");
    return undefined;
  }
  if (!isAsked) throw wrong("field", "Add above, below or equals, or leave out field to wait for the next sample.");
  return (fields) => {
    const value: JsonData | undefined = Object.hasOwn(fields, field) ? fields[field] : undefined;
    if (value === undefined || value === null) return false;
    if (equals !== undefined && equals !== (typeof value === "object" ? JSON.stringify(value) : String(value)))
      return false;
    if (above === undefined && below === undefined) return true;
    if (typeof value !== "number") return false;
    return (above === undefined || value > above) && (below === undefined || value < below);
  };
}

const wrong = (parameter: string, detail: string): Problem =>
  new Problem("invalid-parameter", { detail: `"${parameter}": ${detail}` });

const tooManyWaits = (): Problem =>
  new Problem("too-many-requests", {
    detail: `At most ${maxWaits} programs wait for values of a workspace at a time. Try again shortly.`,
    headers: { "retry-after": "1" },
  });
