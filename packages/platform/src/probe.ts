import { PROBE_CACHE_MS, PROBE_TIMEOUT_MS, type ProcessName, type ProcessReport } from "@backplane/contract/platform";
import type { Clock } from "@backplane/kit/clock";
import { localUrl, type Settings } from "@backplane/kit/settings";

export type Target = { name: ProcessName; port: number; url: string; localUrl: string };

/** The four processes: where people reach them, and where this process does. */
export function targetsOf({
  host,
  platformPort,
  gatewayPort,
  watchdogPort,
  viewerPort,
  baseUrl,
  gatewayUrl,
  viewerUrl,
}: Settings): Target[] {
  const target = (name: ProcessName, port: number, url = `http://localhost:${port}`): Target => ({
    name,
    port,
    url,
    localUrl: localUrl(host, port),
  });
  return [
    target("platform", platformPort, baseUrl),
    target("gateway", gatewayPort, gatewayUrl),
    target("watchdog", watchdogPort),
    target("viewer", viewerPort, viewerUrl),
  ];
}

/** Which processes are up. Each is asked at most once per second, however many people look. */
export function createReports(settings: Settings, fetch: typeof globalThis.fetch, now: Clock) {
  let cached: { atMs: number; reports: Promise<ProcessReport[]> } | undefined;
  return (): Promise<ProcessReport[]> => {
    if (!cached || now() - cached.atMs >= PROBE_CACHE_MS) {
      cached = { atMs: now(), reports: Promise.all(targetsOf(settings).map((target) => probe(target, fetch))) };
    }
    return cached.reports;
  };
}

type Answer = { status: number; body: Record<string, unknown> };
type Ready = { draining: boolean; checks: Record<string, string>; reasons: Record<string, string> };

/** Asks one process for its health. Never rejects: a process that does not answer is "unreachable". */
export async function probe(
  { name, port, url, localUrl }: Target,
  fetch: typeof globalThis.fetch,
): Promise<ProcessReport> {
  async function ask(path: string): Promise<Answer> {
    const response = await fetch(`${localUrl}${path}`, { signal: AbortSignal.timeout(PROBE_TIMEOUT_MS) });
    return { status: response.status, body: (await response.json()) as Answer["body"] };
  }
  try {
    const [health, ready, status] = await Promise.all([
      ask("/health"),
      ask("/ready"),
      name === "watchdog" ? ask("/status") : undefined,
    ]);
    const uptimeS = health.body.uptime;
    const { pending } = health.body;
    const restarts = status?.body.restarts;
    const detail = whatIsWrong(ready);
    return {
      name,
      port,
      url,
      state: detail === undefined ? "running" : "degraded",
      ...(typeof uptimeS === "number" ? { uptimeS } : {}),
      ...(typeof pending === "number" ? { pending } : {}),
      ...(typeof restarts === "number" ? { restarts } : {}),
      ...(detail === undefined ? {} : { detail }),
    };
  } catch (error) {
    const detail = (error as Error).name === "TimeoutError" ? "no answer in time" : "no connection";
    return { name, port, url, state: "unreachable", detail };
  }
}

function whatIsWrong({ status, body }: Answer): string | undefined {
  const { checks = {}, reasons = {}, draining } = body as Partial<Ready>;
  if (draining === true) return "stopping";
  const failing = Object.keys(checks).filter((name) => checks[name] !== "ok");
  const silent = failing.filter((name) => reasons[name] === undefined);
  const told = failing.flatMap((name) => reasons[name] ?? []);
  const all = silent.length > 0 ? [`${silent.join(" and ")} not answering`, ...told] : told;
  return all.join("; ") || (status === 200 ? undefined : "not ready");
}
