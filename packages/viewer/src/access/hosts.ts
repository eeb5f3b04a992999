import { hostNameOf } from "@backplane/kit/http";

/** What of a request says for whom it is. */
type Asked = { headers: { host?: string | undefined }; host: string | undefined };

const OWN_HOSTS = ["localhost", "127.0.0.1", "::1"];

/**
 * Whether a request asks for the viewer by a name that is its own. A page of another site can make its name point at
 * this machine (DNS rebinding) and would then be of the same origin; but its requests carry that name.
 */
export function createHostCheck(viewerUrl: string): (request: Asked) => boolean {
  const known = new Set([...OWN_HOSTS, hostNameOf(new URL(viewerUrl).host) ?? "localhost"]);
  // The second is what a proxy that is trusted says it was asked for.
  return ({ headers, host }) => [headers.host, host].every((name) => known.has(hostNameOf(name ?? "") ?? ""));
}
