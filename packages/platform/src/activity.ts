import type { GatewayStatus } from "@backplane/contract/gateway";
import {
  ACTIVITY_KINDS,
  ACTIVITY_MINUTES,
  type Activity,
  type ActivityKind,
  type Plot,
  PROBE_TIMEOUT_MS,
} from "@backplane/contract/platform";
import type { Clock } from "@backplane/kit/clock";
import type { Database } from "@backplane/kit/database";
import type { Metrics, RequestLabels } from "@backplane/kit/metrics";
import { localUrl, type Settings } from "@backplane/kit/settings";
import type { PlatformTables } from "./tables.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = ACTIVITY_MINUTES * MINUTE_MS;
/** How often counts are added to the table, and the gateway is asked. */
const WRITE_EVERY_MS = 10_000;

type Counts = { done: number; failed: number };
type CodesSince = () => Promise<Counts>;

/** Requests that count, by the pattern of their route. Another success than `done`, such as a mere check, does not. */
const COUNTED = new Map<string, { method: string; kind: ActivityKind; done?: number }>([
  // Who signed in is counted where the session begins, whichever way it was.
  ["/auth/login", { method: "POST", kind: "signIns" }],
  ["/auth/passkeys/sign-in", { method: "POST", kind: "signIns" }],
  ["/registry/packages", { method: "POST", kind: "publishes", done: 201 }],
  ["/api/panels/sandbox/:owner/:repo", { method: "PATCH", kind: "evals", done: 200 }],
]);

export type ActivityOptions = {
  database: Database<PlatformTables>;
  now: Clock;
  readGateway: CodesSince;
  onFault: (error: unknown) => void;
  /** For tests. */
  writeEveryMs?: number;
};

/** Counts what the overview plots. The sums of all instances are in one table, so every instance shows the same. */
export function createActivity({
  database,
  now,
  readGateway,
  onFault,
  writeEveryMs = WRITE_EVERY_MS,
}: ActivityOptions) {
  /** By minute and kind, not written yet. */
  let waiting = new Map<string, PlatformTables["activity"]>();

  function add(kind: ActivityKind, { done, failed }: Counts, atMs = now()): void {
    if (done === 0 && failed === 0) return;
    const minute_ms = atMs - (atMs % MINUTE_MS);
    const key = `${minute_ms} ${kind}`;
    const row = waiting.get(key) ?? { minute_ms, kind, done: 0, failed: 0 };
    waiting.set(key, { ...row, done: row.done + done, failed: row.failed + failed });
  }

  function observe({ method, route, status }: RequestLabels): void {
    const counted = COUNTED.get(route);
    if (counted?.method !== method) return;
    if (status >= 400) add(counted.kind, { done: 0, failed: 1 });
    else if (status === counted.done) add(counted.kind, { done: 1, failed: 0 });
  }

  async function write(): Promise<void> {
    // In one order on all instances: statements that lock rows in different orders could block each other.
    const rows = [...waiting.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
    if (rows.length === 0) return;
    waiting = new Map();
    try {
      await database.shortLived
        .insertInto("activity")
        .values(rows)
        .onConflict((known) =>
          known.columns(["minute_ms", "kind"]).doUpdateSet((row) => ({
            done: row("activity.done", "+", row.ref("excluded.done")),
            failed: row("activity.failed", "+", row.ref("excluded.failed")),
          })),
        )
        .execute();
    } catch (error) {
      // Not for ever: what happened more than an hour ago is not shown any more.
      const oldest = now() - HOUR_MS;
      for (const row of rows) if (row.minute_ms >= oldest) add(row.kind as ActivityKind, row, row.minute_ms);
      throw error;
    }
    await database.shortLived
      .deleteFrom("activity")
      .where("minute_ms", "<", now() - 2 * HOUR_MS)
      .execute();
  }

  let writing: Promise<void> = Promise.resolve();
  const writeNext = (): Promise<void> => {
    writing = writing.catch(() => {}).then(write);
    return writing;
  };
  const timer = setInterval(() => {
    void readGateway()
      .then((codes) => add("codes", codes))
      .then(writeNext)
      .catch(onFault);
  }, writeEveryMs).unref();

  return {
    count: (kind: ActivityKind) => add(kind, { done: 1, failed: 0 }),

    /** The same metrics, which also count for the overview. */
    observing: (metrics: Metrics): Metrics => ({
      ...metrics,
      observeRequest(labels, seconds) {
        metrics.observeRequest(labels, seconds);
        observe(labels);
      },
    }),

    async read(): Promise<Activity> {
      await writeNext();
      return readPlots(database, now() - (now() % MINUTE_MS) + MINUTE_MS);
    },

    async close(): Promise<void> {
      clearInterval(timer);
      await writeNext().catch(onFault);
    },
  };
}

async function readPlots({ shortLived }: Database<PlatformTables>, untilMs: number): Promise<Activity> {
  const fromMs = untilMs - HOUR_MS;
  const rows = await shortLived
    .selectFrom("activity")
    .selectAll()
    .where("minute_ms", ">=", fromMs)
    .where("minute_ms", "<", untilMs)
    .execute();
  const plotOf = (kind: ActivityKind): Plot => {
    const plot = { done: zeros(), failed: zeros() };
    for (const row of rows.filter((row) => row.kind === kind)) {
      const place = (row.minute_ms - fromMs) / MINUTE_MS;
      plot.done[place] = row.done;
      plot.failed[place] = row.failed;
    }
    return plot;
  };
  const plots = Object.fromEntries(ACTIVITY_KINDS.map((kind) => [kind, plotOf(kind)]));
  return { until: new Date(untilMs).toISOString(), ...(plots as Record<ActivityKind, Plot>) };
}

const zeros = (): number[] => Array.from({ length: ACTIVITY_MINUTES }, () => 0);

const NO_CODES: Counts = { done: 0, failed: 0 };

/** Codes that our own gateway has delivered, and that expired, since the last question. Nothing while it does not answer. */
export function createGatewayReader(
  { host, gatewayPort }: Pick<Settings, "host" | "gatewayPort">,
  fetch: typeof globalThis.fetch,
): CodesSince {
  const address = `${localUrl(host, gatewayPort)}/status`;
  let before: GatewayStatus | undefined;
  return async () => {
    try {
      const response = await fetch(address, { signal: AbortSignal.timeout(PROBE_TIMEOUT_MS) });
      const status = (await response.json()) as GatewayStatus;
      // A gateway that was restarted counts from zero. What it did before this process started is not of this hour.
      const known = before === undefined ? status : before.instance === status.instance ? before : undefined;
      before = status;
      return {
        done: status.delivered - (known?.delivered ?? 0),
        failed: status.expired - (known?.expired ?? 0),
      };
    } catch {
      return NO_CODES;
    }
  };
}
