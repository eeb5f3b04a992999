import { createHmac } from "node:crypto";
import { DEVICES_LIMITS } from "@backplane/contract/devices";
import type { Clock } from "@backplane/kit/clock";
import type { StreamRelays } from "@backplane/kit/settings";

/** The servers that whoever connects may use on its way to us, as values of the header `Link` (RFC 9725, section 4.6). */
export type IceLinks = (who: string) => string[];

/**
 * Names and passwords of TURN servers, by the convention of coturn's `use-auth-secret`: the name is the time at which it
 * ends, the password a signature of it. So the secret stays here, and what a browser gets is soon worth nothing.
 */
export function createIceLinks({ urls, secret }: StreamRelays, now: Clock): IceLinks {
  return (who) => {
    const untilS = Math.floor(now() / 1_000) + DEVICES_LIMITS.relayAccessLifeS;
    const name = `${untilS}:${who}`;
    return urls.map((url) => {
      const link = `<${url}>; rel="ice-server"`;
      if (url.startsWith("stun") || secret === undefined) return link;
      const password = createHmac("sha1", secret).update(name).digest("base64");
      return `${link}; username="${name}"; credential="${password}"; credential-type="password"`;
    });
  };
}
