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
