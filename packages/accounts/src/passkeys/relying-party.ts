import { isIP } from "node:net";
import { Problem } from "@backplane/kit/problems";
import type { FastifyRequest } from "fastify";

/** Who a passkey is for, as the browser sees it: the host name it is bound to and the origin of the page. */
export type RelyingParty = { readonly id: string; readonly origin: string };

/** Goes by the host that was asked, which behind trusted proxies is the one that they name. */
export function relyingPartyOf({ protocol, host }: Pick<FastifyRequest, "protocol" | "host">): RelyingParty {
  const asked = `${protocol}://${host}`;
  const url = URL.canParse(asked) ? new URL(asked) : undefined;
  if (!url?.hostname) throw new Problem("malformed-request", { detail: "Send a Host header." });
  // WebAuthn Level 3, §5.1.2: a relying party is named by a domain, never by an address.
  if (url.hostname.startsWith("[") || isIP(url.hostname) !== 0) {
    throw new Problem("passkeys-need-a-name", {
      detail: "Passkeys belong to a host name, not to an IP address. Open this site by its name, such as localhost.",
    });
  }
  return { id: url.hostname, origin: url.origin };
}
