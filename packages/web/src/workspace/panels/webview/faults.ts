import { ONLY_PAGES, OPEN_IN_TAB, SITE_FAULT_TITLES, type WebviewFraming } from "@backplane/contract/panels";
import { hostWords, isMixed, isOwnAddress, overHttps } from "./addresses.ts";

/** Why the frame is blank. `offers` are the possible actions, the best one first. */
export type FrameFault = { code: string; title: string; detail: string; offers: readonly FaultOffer[] };
export type FaultOffer = "proxy" | "direct" | "https" | "again" | "anyway";

type Place = { pageUrl: string; framesUrl: string };

/** Faults that are known before anything is loaded. */
export function faultBefore(address: string, isProxied: boolean, place: Place): FrameFault | undefined {
  if (isOwnAddress(address, place)) {
    return {
      code: "own-address",
      title: "Backplane is not shown inside itself",
      detail: `Inside a panel, a page of Backplane could do everything that you can do. ${OPEN_IN_TAB}`,
      offers: [],
    };
  }
  if (isProxied || !isMixed(address, place.pageUrl)) return undefined;
  return {
    code: "mixed-content",
    title: "Your browser does not load this page here",
    detail: `This page is open over https, but ${hostWords(address)} is requested over http. Try https, or load it through the proxy.`,
    offers: ["https", "proxy"],
  };
}

export const noPass = (detail: string): FrameFault => ({
  code: "no-pass",
  title: "The proxy refused this address",
  detail,
  offers: ["again", "direct"],
});

/** Reasons that do not change by trying again. */
const LASTING: Record<string, readonly FaultOffer[]> = { "address-refused": ["direct"], "port-refused": [] };

type ProxyWords = { title: string | undefined; detail: string | undefined; reason: string | undefined };

/** As reported by the proxy's own page. */
export const proxyFailed = ({ title, detail, reason = "" }: ProxyWords): FrameFault => ({
  code: "proxy-failed",
  title: title ?? "The proxy could not load this page",
  detail: detail ?? "The site did not answer. Check the address, then try again.",
  offers: Object.hasOwn(LASTING, reason) ? (LASTING[reason] ?? []) : ["again", "direct"],
});

export const stopped = (address: string): FrameFault => ({
  code: "stopped",
  title: "Loading was stopped",
  detail: `${hostWords(address)} is not shown. You can load it again.`,
  offers: ["again"],
});

export const flooded = (address: string): FrameFault => ({
  code: "flooded",
  title: "The page was stopped",
  detail: `${hostWords(address)} sent this workspace more messages than it can take.`,
  offers: ["again"],
});

export const tookKeyboard = (address: string): FrameFault => ({
  code: "took-keyboard",
  title: "The page was stopped",
  detail: `${hostWords(address)} kept taking the keyboard from another panel.`,
  offers: ["again"],
});

/** The address that an action leads to. */
export const addressFor = (offer: FaultOffer, address: string): string =>
  offer === "https" ? overHttps(address) : address;

/** How the load ended: with a page, which may be the browser's own error page, or by timeout. */
export type LoadEnd = "loaded" | "gave-up";

/**
 * Why a frame without proxy is blank, according to the server. The server is sure about what a site forbids. Whether a
 * site can be reached may differ between server and browser, so that counts only after the load has ended.
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
        title: "This site does not allow framing",
        detail: `${host} tells browsers not to show it inside another page. The proxy can load it through Backplane, without your cookies for that site.`,
        offers: ["proxy", "anyway"],
      };
    case "mixed-content":
      return {
        code: "mixed-content",
        title: "Your browser does not load this page here",
        detail: `This page is open over https, but ${host} redirects to http. Load it through the proxy.`,
        offers: ["proxy", "anyway"],
      };
    case "port":
      return {
        code: "port-refused",
        title: "Browsers block this port",
        detail: `The port of ${host} is reserved for a service that is not a web site. Check the address.`,
        offers: [],
      };
    case "download":
      return {
        code: "download",
        title: SITE_FAULT_TITLES.download,
        detail: ONLY_PAGES,
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
        ...{ code: "unreachable", title: SITE_FAULT_TITLES.refused, offers },
        detail: `Backplane got no answer from ${host}. Check the port, and that the site is running.`,
      };
    case "name-not-found":
      return {
        ...{ code: "name-not-found", title: SITE_FAULT_TITLES.notFound, offers },
        detail: `Backplane could not find ${host}. Check the address.`,
      };
    case "certificate":
      return {
        ...{ code: "certificate", title: SITE_FAULT_TITLES.certificate, offers },
        detail: `Browsers do not show ${host} in a panel until its owner has renewed the certificate.`,
      };
    case "timeout":
      if (end === "loaded") return undefined;
      return {
        ...{ code: "timeout", title: SITE_FAULT_TITLES.timeout, offers },
        detail: `Neither your browser nor Backplane got an answer from ${host}. Check the address, then try again.`,
      };
    default:
      return undefined;
  }
}
