import { BenchFault } from "./fault.ts";
import type { HttpRequest } from "./http-request.ts";
import { connections, probeTimeoutMs } from "./limits.ts";
import type { Load, LoadTarget } from "./load.ts";
import { runWrk } from "./wrk.ts";

/** The same request over and over, on a number of open connections, by wrk. */
export function httpLoad(request: HttpRequest): Load {
  return {
    description: `${request.method ?? "GET"} ${request.path}, ${connections} connections`,
    async run(target) {
      await probe(request, target);
      const result = await runWrk(request, target);
      if (request.expectsRefusal !== true) return result;
      return { ...result, non2xx: result.requests - result.non2xx };
    },
  };
}

/** wrk counts a redirect as success; this single request before each run does not. */
async function probe(request: HttpRequest, { label, url }: LoadTarget) {
  const { method = "GET", headers = {}, expectsRefusal = false } = request;
  const { path, body } = request.variants?.[0] ?? request;
  const response = await fetch(new URL(path, url), {
    method,
    headers,
    redirect: "manual",
    signal: AbortSignal.timeout(probeTimeoutMs),
    ...(body === undefined ? {} : { body }),
  });
  const text = await response.text();
  if (response.ok === expectsRefusal)
    throw new BenchFault(`${label} answered ${method} ${path} with ${response.status}: ${text}`);
}
