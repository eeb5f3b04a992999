import { BenchFault } from "./fault.ts";
import type { HttpRequest } from "./http-request.ts";
import { connections, probeTimeoutMs } from "./limits.ts";
import type { Load, LoadTarget } from "./load.ts";
import { runWrk } from "./wrk.ts";

/** The same request over and over, on as many connections as are kept open, by wrk. */
export function httpLoad(request: HttpRequest): Load {
  return {
    description: `${request.method ?? "GET"} ${request.path}, ${connections} connections`,
    async run(target) {
      await probe(request, target);
      return runWrk(request, target);
    },
  };
}

/** wrk counts a redirect as success; one request by hand, before each run, does not. */
async function probe({ path, method = "GET", headers = {}, body }: HttpRequest, { label, url }: LoadTarget) {
  const response = await fetch(new URL(path, url), {
    method,
    headers,
    redirect: "manual",
    signal: AbortSignal.timeout(probeTimeoutMs),
    ...(body === undefined ? {} : { body }),
  });
  const text = await response.text();
  if (!response.ok) throw new BenchFault(`${label} answered ${method} ${path} with ${response.status}: ${text}`);
}
