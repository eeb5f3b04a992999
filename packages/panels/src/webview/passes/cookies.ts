/** Our own cookie on the host of a frame. A site can neither read nor set it, and never receives it. */
export const PASS_COOKIE = "backplane_pass";

/**
 * Followed by the name of a site's cookie: the site allows that requests of other sites carry it (`SameSite=None`). All
 * cookies of a frame are of that kind for the browser, so the proxy has to tell them apart.
 */
const OPEN_MARK = "backplane_open.";

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
const sentNameOf = (pair: string): string => nameOf(pair.replace(/^[\s=]+/, ""));
const isPass = (pair: string): boolean => sentNameOf(pair).toLowerCase() === PASS_COOKIE;
const isOurs = (pair: string): boolean => isPass(pair) || sentNameOf(pair).toLowerCase().startsWith(OPEN_MARK);

/** All values of our cookie: a site may have set others with that name, for other paths. */
export function passesIn(cookieHeader: string | undefined): string[] {
  return (cookieHeader ?? "")
    .split(";")
    .filter(isPass)
    .map((pair) => pair.slice(pair.indexOf("=") + 1).trim());
}

/** All cookies but ours. A request of another site carries only those that their site allows for it. */
export function cookiesForSite(cookieHeader: string | undefined, isForeign: boolean): string | undefined {
  const pairs = (cookieHeader ?? "").split(";").map((pair) => pair.trim());
  const marks = new Set(pairs.map(nameOf));
  const kept = pairs.filter(
    (pair) => pair !== "" && !isOurs(pair) && (!isForeign || marks.has(`${OPEN_MARK}${nameOf(pair)}`)),
  );
  return kept.length > 0 ? kept.join("; ") : undefined;
}

const KEPT = /^(?:path|max-age|expires|httponly)$/i;
const LIFE = /^(?:max-age|expires)$/i;
const OPEN = /^\s*samesite\s*=\s*none\s*$/i;

/** A site's cookie, changed for the host of its frame, and its mark; nothing: it must not be set. */
export function rewriteSetCookie(line: string, attributes: string): string[] {
  const [pair = "", ...rest] = line.split(";");
  if (pair.trim() === "" || isOurs(pair)) return [];
  const kept = rest.map((part) => part.trim()).filter((part) => KEPT.test(nameOf(part)));
  const cookie = [pair.trim(), ...kept, attributes].join("; ");
  if (!rest.some((part) => OPEN.test(part))) return [cookie];
  const life = kept.filter((part) => LIFE.test(nameOf(part)));
  return [cookie, [`${OPEN_MARK}${nameOf(pair)}=`, "Path=/", "HttpOnly", ...life, attributes].join("; ")];
}
