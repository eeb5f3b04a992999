/** Ours, on the host of a frame. No site may read, set or be sent it. */
export const PASS_COOKIE = "backplane_pass";

const SECURE = "SameSite=None; Secure; Partitioned";

/**
 * What a cookie of a frame must say to be kept there: the frame is of another site than the page around it. Over plain
 * http, but for this machine, browsers keep none of these; then a frame works only where page and frames are one site.
 */
export function cookieAttributes(framesUrl: string): string {
  const { protocol, hostname } = new URL(framesUrl.replace("*.", "any."));
  return protocol === "https:" || hostname.endsWith(".localhost") ? SECURE : "SameSite=Lax";
}

export const passCookie = (pass: string, attributes: string, maxAgeS: number): string =>
  `${PASS_COOKIE}=${pass}; Path=/; Max-Age=${maxAgeS}; HttpOnly; ${attributes}`;

const nameOf = (pair: string): string => pair.split("=", 1)[0]?.trim() ?? "";
/** Browsers take a nameless cookie `=name=value` for `name=value` when they send it. */
const isOurs = (pair: string): boolean => nameOf(pair.replace(/^[\s=]+/, "")).toLowerCase() === PASS_COOKIE;

/** All values of our cookie: a site may have set more of that name, for other paths. */
export function passesIn(cookieHeader: string | undefined): string[] {
  return (cookieHeader ?? "")
    .split(";")
    .filter(isOurs)
    .map((pair) => pair.slice(pair.indexOf("=") + 1).trim());
}

/** The rest is the site's. */
export function cookiesForSite(cookieHeader: string | undefined): string | undefined {
  const kept = (cookieHeader ?? "")
    .split(";")
    .map((pair) => pair.trim())
    .filter((pair) => pair !== "" && !isOurs(pair));
  return kept.length > 0 ? kept.join("; ") : undefined;
}

const KEPT = /^(?:path|max-age|expires|httponly)$/i;

/** A cookie that a site sets, for its frame's host; undefined: it may not. */
export function rewriteSetCookie(line: string, attributes: string): string | undefined {
  const [pair = "", ...rest] = line.split(";");
  if (pair.trim() === "" || isOurs(pair)) return undefined;
  const kept = rest.map((part) => part.trim()).filter((part) => KEPT.test(nameOf(part)));
  return [pair.trim(), ...kept, attributes].join("; ");
}
