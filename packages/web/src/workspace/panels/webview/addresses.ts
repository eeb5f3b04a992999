import { PANELS_LIMITS } from "@backplane/contract/panels";

export type Completed = { ok: true; url: string } | { ok: false; hint: string };

const EXAMPLE = "example.com or localhost:3000";
const WEB = /^https?:\/\//i;
/** `localhost:3000` has no scheme: a port follows the colon. */
const OTHER_SCHEME = /^[a-z][a-z0-9+.-]*:(?!\d)/i;
const IPV4 = /^\d{1,3}(\.\d{1,3}){3}$/;
const NAME_WITH_DOT = /^[^.\s]+(\.[^.\s]+)*\.(\p{L}{2,}|xn--[a-z0-9-]+)\.?$/iu;

const refused = (hint: string): Completed => ({ ok: false, hint });

/** The address that somebody means by what they typed. Search terms are refused: we do not choose a search engine. */
export function completeAddress(typed: string): Completed {
  const text = typed.trim();
  if (text === "") return refused(`Type an address, such as ${EXAMPLE}.`);
  if (text.length > PANELS_LIMITS.maxUrlLength) {
    return refused(`The address is longer than ${PANELS_LIMITS.maxUrlLength} characters. Shorten it.`);
  }
  if (WEB.test(text)) return parsed(text);
  if (OTHER_SCHEME.test(text)) return refused("A web view shows http and https addresses only.");
  const scheme = schemeFor(text);
  if (scheme === undefined) return refused(`"${shortened(text)}" is not an address. Type one, such as ${EXAMPLE}.`);
  return parsed(`${scheme}://${text.replace(/^\/\//, "")}`);
}

/** Undefined when it is not a host. Machines without a public name rarely have a certificate. */
function schemeFor(text: string): "http" | "https" | undefined {
  if (/\s/.test(text)) return undefined;
  const [authority = "", ...rest] = text.replace(/^\/\//, "").split(/[/?#]/);
  const port = /:(\d{1,5})$/.exec(authority);
  const host = port ? authority.slice(0, port.index) : authority;
  if (isLocalName(host) || IPV4.test(host) || /^\[[0-9a-f:.]+\]$/i.test(host)) return "http";
  if (NAME_WITH_DOT.test(host)) return "https";
  // A name in the local network: only with a port or path, which a search term does not have.
  return /^[a-z0-9-]+$/i.test(host) && (port || rest.length > 0) ? "http" : undefined;
}

function parsed(text: string): Completed {
  if (!URL.canParse(text)) return refused(`"${shortened(text)}" is not an address. Type one, such as ${EXAMPLE}.`);
  const url = new URL(text);
  if (url.username !== "" || url.password !== "") {
    return refused("Leave the name and password out of the address: everybody in this workspace would see them.");
  }
  return { ok: true, url: url.href };
}

const shortened = (text: string): string => (text.length > 40 ? `${text.slice(0, 39)}…` : text);

const isLocalName = (host: string): boolean => /^(.+\.)?localhost\.?$/i.test(host);

/** Names of this machine. Browsers treat them as secure. */
const isLoopback = (hostname: string): boolean =>
  isLocalName(hostname) || /^127(\.\d{1,3}){3}$/.test(hostname) || hostname === "[::1]" || hostname === "0.0.0.0";

const portOf = ({ port, protocol }: URL): string => port || (protocol === "https:" ? "443" : "80");
const nameOf = ({ hostname }: URL): string => hostname.toLowerCase().replace(/\.$/, "");

export type Place = { pageUrl: string; framesUrl: string };

/**
 * Whether an address belongs to Backplane itself, or to a frame of it. In a frame with `allow-same-origin` it could
 * control the whole app, or read the data of another panel.
 */
export function isOwnAddress(address: string, { pageUrl, framesUrl }: Place): boolean {
  const url = new URL(address);
  const page = new URL(pageUrl);
  if (isFrameAddress(url, framesUrl)) return true;
  if (nameOf(url) === nameOf(page)) return url.port === page.port;
  return portOf(url) === portOf(page) && isLoopback(nameOf(page)) && isLoopback(nameOf(url));
}

function isFrameAddress(url: URL, framesUrl: string): boolean {
  const any = framesUrl.replace("*", "any");
  if (!URL.canParse(any)) return false;
  const frames = new URL(any);
  return portOf(url) === portOf(frames) && nameOf(url).endsWith(nameOf(frames).slice("any".length));
}

/** Browsers do not show http pages in an https page, and leave the frame blank without an event. */
export const isMixed = (address: string, pageUrl: string): boolean =>
  new URL(pageUrl).protocol === "https:" &&
  new URL(address).protocol === "http:" &&
  !isLoopback(new URL(address).hostname);

/** The same page over https. */
export const overHttps = (address: string): string => address.replace(/^http:/, "https:");

/** The title of a page whose title is unknown. */
export function hostWords(address: string): string {
  return URL.canParse(address) ? new URL(address).host : address;
}
