import { createHash } from "node:crypto";
import { ONLY_PAGES, OPEN_IN_TAB, SITE_FAULT_TITLES } from "@backplane/contract/panels";
import { AddressRefused, PortRefused } from "@backplane/kit/guard";
import { html } from "@backplane/kit/page";

/** Why a page of a site is not shown: status, title, and what to do next. */
const WORDS = {
  "address-refused": [
    403,
    "The proxy does not connect to this address",
    "It connects to public sites only. Turn the proxy off for this panel, or add the address to PROXY_ALLOW.",
  ],
  "port-refused": [
    403,
    "The proxy does not use this port",
    "It belongs to a service that is not for the web, and browsers do not use it either. Check the port.",
  ],
  "name-not-found": [502, SITE_FAULT_TITLES.notFound, "Check the address."],
  "connection-refused": [502, SITE_FAULT_TITLES.refused, "Check the port, and that the site is running."],
  "timed-out": [504, SITE_FAULT_TITLES.timeout, "Reload to try again."],
  certificate: [502, SITE_FAULT_TITLES.certificate, "Nothing was sent to it. Its owner can renew it."],
  "no-secure-connection": [502, "The site does not support https", "Check the port, or try the address with http://."],
  "broken-off": [502, "The site closed the connection", "Reload to try again."],
  "too-large": [502, "The page is too large to show here", OPEN_IN_TAB],
  "request-too-large": [413, "What was sent to the site is too large", OPEN_IN_TAB],
  unreadable: [502, "The answer of this site cannot be read", OPEN_IN_TAB],
  download: [502, SITE_FAULT_TITLES.download, ONLY_PAGES],
  worker: [403, "Service workers do not run in a panel", "The site works without one."],
  "foreign-request": [403, "Another site may not request this", "Open the page from the address bar."],
  method: [405, "The proxy does not support this method", OPEN_IN_TAB],
  busy: [429, "Too many requests to this site at a time", "Wait a moment, then reload."],
  pass: [403, "This page opens in a panel only", "Its pass is missing or has ended. Reload the panel."],
  "not-ready": [503, "Backplane cannot check your access now", "Its database does not answer. Reload in a moment."],
  internal: [500, "Internal error", "Reload to try again."],
} satisfies Record<string, [status: number, title: string, next: string]>;

export type SiteFaultReason = keyof typeof WORDS;

export class SiteFault extends Error {
  override name = "SiteFault";
  readonly reason: SiteFaultReason;

  constructor(reason: SiteFaultReason, options?: ErrorOptions) {
    super(reason, options);
    this.reason = reason;
  }
}

const REASONS: Record<string, SiteFaultReason> = {
  ENOTFOUND: "name-not-found",
  EAI_AGAIN: "name-not-found",
  EAI_FAIL: "name-not-found",
  ENODATA: "name-not-found",
  ECONNREFUSED: "connection-refused",
  EHOSTUNREACH: "connection-refused",
  ENETUNREACH: "connection-refused",
  EHOSTDOWN: "connection-refused",
  EADDRNOTAVAIL: "connection-refused",
  ETIMEDOUT: "timed-out",
  UND_ERR_CONNECT_TIMEOUT: "timed-out",
  UND_ERR_HEADERS_TIMEOUT: "timed-out",
  UND_ERR_BODY_TIMEOUT: "timed-out",
  UND_ERR_RES_EXCEEDED_MAX_SIZE: "too-large",
  UND_ERR_HEADERS_OVERFLOW: "unreadable",
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: "unreadable",
  UND_ERR_INVALID_ARG: "unreadable",
  ECONNRESET: "broken-off",
  EPIPE: "broken-off",
  UND_ERR_SOCKET: "broken-off",
  UND_ERR_ABORTED: "broken-off",
  EPROTO: "no-secure-connection",
  "database-unavailable": "not-ready",
};

/** Error names of OpenSSL and Node: first about certificates, then about TLS. */
const CERTIFICATE = /CERT|^ERR_TLS_CERT|^UNABLE_TO_|CRL|^HOSTNAME_MISMATCH$/;
const SECURE = /^ERR_(SSL|TLS)_/;

const secureReason = (code: string): SiteFaultReason | undefined =>
  CERTIFICATE.test(code) ? "certificate" : SECURE.test(code) ? "no-secure-connection" : undefined;

/** An error on the way to a site as one of the reasons above; undefined: it is not about the site. */
export function siteFaultOf(error: unknown): SiteFault | undefined {
  if (error instanceof SiteFault) return error;
  if (error instanceof PortRefused) return new SiteFault("port-refused", { cause: error });
  if (error instanceof AddressRefused) return new SiteFault("address-refused", { cause: error });
  const { name, code, cause } = error as { name?: unknown; code?: unknown; cause?: unknown };
  // It does not always have a code.
  if (name === "HTTPParserError") return new SiteFault("unreadable", { cause: error });
  if (typeof code === "string") {
    const reason = REASONS[code] ?? secureReason(code);
    if (reason) return new SiteFault(reason, { cause: error });
    if (/^(HPE_|Z_|ERR_BROTLI|ERR_ZSTD|ERR_ENCODING)/.test(code)) return new SiteFault("unreadable", { cause: error });
  }
  return cause === undefined ? undefined : siteFaultOf(cause);
}

/** The part of the design that this page needs. */
const STYLE = `:root{color-scheme:light dark}body{margin:0;min-height:100vh;display:grid;place-items:center;
background:light-dark(#f4f5f6,#12161a);color:light-dark(#161a1f,#e8ebee);font:15px/1.5 system-ui,sans-serif}
main{max-width:26rem;padding:1.5rem}h1{margin:0 0 .5rem;font-size:1.125rem;line-height:1.35}
p{margin:0 0 .5rem}.muted{color:light-dark(#515a64,#a3adb8);overflow-wrap:anywhere}`.replaceAll("\n", "");

/** Reports to the panel around it, and only to pages that may embed it. */
const SCRIPT = `for(const origin of document.body.dataset.ancestors.split(" "))
if(!location.ancestorOrigins||location.ancestorOrigins[0]===origin)
parent.postMessage({backplane:"webview",event:"failed",url:document.body.dataset.url,title:document.title,
reason:document.body.dataset.reason,detail:document.querySelector("p").textContent},origin);
addEventListener("message",e=>{if(e.source===parent&&e.data&&e.data.backplane==="webview"&&
document.body.dataset.ancestors.split(" ").includes(e.origin)){if(e.data.do==="back")history.back();
if(e.data.do==="forward")history.forward();if(e.data.do==="reload")location.reload()}})`.replaceAll("\n", "");

const hashOf = (text: string): string => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

export type FaultPage = { status: number; policy: string; body: string };

/** `url`: the requested page of the site; empty when unknown. */
export function renderFaultPage(reason: SiteFaultReason, url: string, ancestors: readonly string[]): FaultPage {
  const [status, title, next] = WORDS[reason];
  const head = html`<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1"><title>${title}</title>`;
  const body = html`</head><body data-ancestors="${ancestors.join(" ")}" data-url="${url}" data-reason="${reason}">
<main><h1>${title}</h1><p>${next}</p><p class="muted">${withoutQuery(url)}</p></main>`;
  return {
    status,
    policy: `default-src 'none'; style-src ${hashOf(STYLE)}; script-src ${hashOf(SCRIPT)}; base-uri 'none'; form-action 'none'`,
    body: `<!doctype html>${head}<style>${STYLE}</style>${body}<script>${SCRIPT}</script></body></html>\n`,
  };
}

/** For requests that are not pages: scripts, images. */
export const faultLine = (reason: SiteFaultReason): { status: number; body: string } => {
  const [status, title, next] = WORDS[reason];
  return { status, body: `${title}. ${next}\n` };
};

const withoutQuery = (url: string): string => url.replace(/[?#].*$/s, "");
