import type { WebviewFraming } from "@backplane/contract/panels";
import { hostWords, isMixed, isOwnAddress, overHttps } from "./addresses.ts";

/** Why the frame is blank. `offers` are the ways out, the best one first. */
export type FrameFault = { code: string; title: string; detail: string; offers: readonly FaultOffer[] };
export type FaultOffer = "proxy" | "direct" | "https" | "again" | "anyway";

type Place = { pageUrl: string; framesUrl: string };

/** What can be known before anything is loaded. */
export function faultBefore(address: string, isProxied: boolean, place: Place): FrameFault | undefined {
  if (isOwnAddress(address, place)) {
    return {
      code: "own-address",
      title: "Backplane is not shown inside itself",
      detail: "A page of its own address in a panel could do everything you can. Open it in a tab of your browser.",
      offers: [],
    };
  }
  if (isProxied || !isMixed(address, place.pageUrl)) return undefined;
  return {
    code: "mixed-content",
    title: "Your browser does not load this page here",
    detail: `Backplane is open over https, and ${hostWords(address)} is asked for over http. Try https, or load it through the proxy.`,
    offers: ["https", "proxy"],
  };
}

export const noPass = (detail: string): FrameFault => ({
  code: "no-pass",
  title: "The proxy did not take this address",
  detail,
  offers: ["again", "direct"],
});

/** What trying again cannot change. */
const LASTING: Record<string, readonly FaultOffer[]> = { "address-refused": ["direct"], "port-refused": [] };

type ProxyWords = { title: string | undefined; detail: string | undefined; reason: string | undefined };

/** As the proxy's own page told it. */
export const proxyFailed = ({ title, detail, reason = "" }: ProxyWords): FrameFault => ({
  code: "proxy-failed",
  title: title ?? "The proxy could not load this page",
  detail: detail ?? "The site did not answer. Check the address, then try again.",
  offers: Object.hasOwn(LASTING, reason) ? (LASTING[reason] ?? []) : ["again", "direct"],
});

export const stopped = (address: string): FrameFault => ({
  code: "stopped",
  title: "Loading was stopped",
  detail: `Nothing of ${hostWords(address)} is shown. Load it again when you want to.`,
  offers: ["again"],
});

/** The address that an offer leads to. */
export const addressFor = (offer: FaultOffer, address: string): string =>
  offer === "https" ? overHttps(address) : address;

/** How the load ended: with a page, which may be the browser's own about a fault, or not in the time for it. */
export type LoadEnd = "loaded" | "gave-up";

/**
 * Why a directly shown frame is blank, by the word of the server. It is sure of what a site forbids. Whether the site
 * can be reached it knows only from where it stands: that counts once the load has ended, and never over a page that
 * only takes its time.
 */
export function framingFault(
  { framing, reason }: WebviewFraming,
  address: string,
  end: LoadEnd | undefined,
): FrameFault | undefined {
  if (framing === "allowed") return undefined;
  const host = hostWords(address);
  switch (reason) {
    case "x-frame-options":
    case "frame-ancestors":
      return {
        code: "framing-refused",
        title: "This site does not let itself be framed",
        detail: `${host} tells browsers not to show it inside another page. The proxy loads it through Backplane instead: without your cookies for it, at an address of its own.`,
        offers: ["proxy", "anyway"],
      };
    case "mixed-content":
      return {
        code: "mixed-content",
        title: "Your browser does not load this page here",
        detail: `Backplane is open over https, and ${host} leads on to an address over http. Load it through the proxy.`,
        offers: ["proxy", "anyway"],
      };
    case "port":
      return {
        code: "port-refused",
        title: "Browsers do not use this port",
        detail: `The port of ${host} belongs to a service that is not for the web. Check the address.`,
        offers: [],
      };
    case "download":
      return {
        code: "download",
        title: "This is a file to download",
        detail: "Panels show pages only. Open it in a browser tab of its own.",
        offers: ["anyway"],
      };
    default:
      return end === undefined ? undefined : unreached(reason, host, end);
  }
}

function unreached(reason: WebviewFraming["reason"], host: string, end: LoadEnd): FrameFault | undefined {
  const offers = ["again", "anyway"] as const;
  switch (reason) {
    case "unreachable":
      return {
        ...{ code: "unreachable", title: "The site refuses connections", offers },
        detail: `Nothing answers at ${host}, as seen from Backplane. Check the port, and that the site is running.`,
      };
    case "name-not-found":
      return {
        ...{ code: "name-not-found", title: "Site not found", offers },
        detail: `Backplane does not find ${host}. Check the address.`,
      };
    case "certificate":
      return {
        ...{ code: "certificate", title: "The certificate of this site is not valid", offers },
        detail: `A browser does not show ${host} in a panel until its owner has renewed it.`,
      };
    case "timeout":
      if (end === "loaded") return undefined;
      return {
        ...{ code: "timeout", title: "The site did not answer in time", offers },
        detail: `Neither your browser nor Backplane had an answer of ${host}. Check the address, then try again.`,
      };
    default:
      return undefined;
  }
}
