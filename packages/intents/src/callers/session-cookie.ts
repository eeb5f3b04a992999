import { SESSION_COOKIE } from "../sessions/contract.ts";
import { SECRET_LENGTH, SESSION_PREFIX } from "./secret-shape.ts";

const NAME = `${SESSION_COOKIE}=`;

/**
 * The session token among a request's cookies. Programs on other ports of one host share its cookies, so several may
 * have this name: the first that looks like ours counts.
 */
export function sessionTokenIn(cookies: string | undefined): string | undefined {
  if (cookies === undefined) return undefined;
  for (let at = cookies.indexOf(NAME); at !== -1; at = cookies.indexOf(NAME, at + NAME.length)) {
    const from = at + NAME.length;
    const to = from + SECRET_LENGTH;
    const isWhole = (at === 0 || isBetween(cookies[at - 1])) && (to === cookies.length || isBetween(cookies[to]));
    if (isWhole && cookies.startsWith(SESSION_PREFIX, from)) return cookies.slice(from, to);
  }
  return undefined;
}

const isBetween = (character: string | undefined): boolean => character === ";" || character === " ";
