import { frameOrigin } from "../../frames.ts";
import type { Passes, Visit } from "./passes.ts";

/** Paths of our own on the host of every frame; a site's path with this prefix cannot be reached. */
export const OWN_PATH = "/.backplane/";
export const ENTER_PATH = `${OWN_PATH}enter`;
/** Followed by the percent-encoded address of a page of another site. In the path, because forms replace the query. */
export const GO_PATH = `${OWN_PATH}go/`;

/** An address without its origin. */
const placeOf = ({ pathname, search, hash }: URL): string => `${pathname}${search}${hash}`;

/** The same, for a link on the same host: `//x` would name another host, so it gets a `/.` in front. */
export function pathOnHost(url: URL): string {
  const place = placeOf(url);
  return place.startsWith("//") ? `/.${place}` : place;
}

/** The first address of a frame that shows this page. It contains a pass, which a redirect removes at once. */
export function enterAddress(
  passes: Passes,
  framesUrl: string,
  visit: Omit<Visit, "site">,
  url: URL,
  staysUntilMs?: number,
): { src: string; label: string; origin: string } {
  const to = { ...visit, site: url.origin };
  const label = passes.labelOf(to);
  const origin = frameOrigin(framesUrl, label);
  const query = new URLSearchParams({ pass: passes.enter(to, staysUntilMs), to: placeOf(url) });
  return { src: `${origin}${ENTER_PATH}?${query}`, label, origin };
}

export const goPath = (url: URL): string => GO_PATH + encodeURIComponent(url.href);

/** The target of a go path. A query, if there is one, comes from a form. */
export function goTarget(path: string): string | undefined {
  const [place = "", query] = path.slice(GO_PATH.length).split(/\?(.*)/s, 2);
  try {
    const target = decodeURIComponent(place);
    return query === undefined ? target : `${target.replace(/[?#].*$/s, "")}?${query}`;
  } catch {
    return undefined;
  }
}
