import { PROBE_TIMEOUT_MS, type ProcessName, type ProcessReport } from "@backplane/contract/platform";
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

type Answer = { status: number; body: Record<string, unknown> };

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

function whatIsWrong({ status, body: { checks = {}, draining } }: Answer): string | undefined {
  if (draining === true) return "stopping";
  const failing = Object.entries(checks as Record<string, unknown>).filter(([, state]) => state !== "ok");
  if (failing.length > 0) return `${failing.map(([name]) => name).join(" and ")} not answering`;
  return status === 200 ? undefined : "not ready";
}
