import { frameOrigin } from "../../frames.ts";
import type { Passes, Visit } from "./passes.ts";

/** Paths that are ours on every frame's host; a site's own path of that name cannot be reached. */
export const OWN_PATH = "/.backplane/";
export const ENTER_PATH = `${OWN_PATH}enter`;
/** Then the whole address of a page of another site, percent-encoded. A path, because forms replace the query. */
export const GO_PATH = `${OWN_PATH}go/`;

/** The path of an address, as it is at every host. */
export const placeOf = ({ pathname, search, hash }: URL): string => `${pathname}${search}${hash}`;

/** Where a frame begins that shows this page: with a pass in it, which leaves the address at once. */
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

/** What a go path leads to: the query, if there is one, is what a form has filled in. */
export function goTarget(path: string): string | undefined {
  const [place = "", query] = path.slice(GO_PATH.length).split(/\?(.*)/s, 2);
  try {
    const target = decodeURIComponent(place);
    return query === undefined ? target : `${target.replace(/[?#].*$/s, "")}?${query}`;
  } catch {
    return undefined;
  }
}
