/** Our own cookie on the host of a frame. A site can neither read nor set it, and never receives it. */
export const PASS_COOKIE = "backplane_pass";

const SECURE = "SameSite=None; Secure; Partitioned";

/**
 * Attributes that make a browser keep the cookies of a frame, which is of another site than the page around it. Over plain
 * http browsers keep such cookies only for this machine; elsewhere page and frames must be on one site.
 */
export function cookieAttributes(framesUrl: string): string {
  const { protocol, hostname } = new URL(framesUrl.replace("*.", "any."));
  return protocol === "https:" || hostname.endsWith(".localhost") ? SECURE : "SameSite=Lax";
}

export const passCookie = (pass: string, attributes: string, maxAgeS: number): string =>
  `${PASS_COOKIE}=${pass}; Path=/; Max-Age=${maxAgeS}; HttpOnly; ${attributes}`;

const nameOf = (pair: string): string => pair.split("=", 1)[0]?.trim() ?? "";
/** Browsers send a nameless cookie `=name=value` as `name=value`. */
const isOurs = (pair: string): boolean => nameOf(pair.replace(/^[\s=]+/, "")).toLowerCase() === PASS_COOKIE;

/** All values of our cookie: a site may have set others with that name, for other paths. */
export function passesIn(cookieHeader: string | undefined): string[] {
  return (cookieHeader ?? "")
    .split(";")
    .filter(isOurs)
    .map((pair) => pair.slice(pair.indexOf("=") + 1).trim());
}

/** All cookies but ours. */
export function cookiesForSite(cookieHeader: string | undefined): string | undefined {
  const kept = (cookieHeader ?? "")
    .split(";")
    .map((pair) => pair.trim())
    .filter((pair) => pair !== "" && !isOurs(pair));
  return kept.length > 0 ? kept.join("; ") : undefined;
}

const KEPT = /^(?:path|max-age|expires|httponly)$/i;

/** A site's cookie, changed for the host of its frame; undefined: it must not be set. */
export function rewriteSetCookie(line: string, attributes: string): string | undefined {
  const [pair = "", ...rest] = line.split(";");
  if (pair.trim() === "" || isOurs(pair)) return undefined;
  const kept = rest.map((part) => part.trim()).filter((part) => KEPT.test(nameOf(part)));
  return [pair.trim(), ...kept, attributes].join("; ");
}
