import { HOST_SESSION_COOKIE, SESSION_COOKIE } from "@backplane/contract/accounts";
import { SECRET_LENGTH, SESSION_PREFIX } from "./secret-shape.ts";

/**
 * The session token among a request's cookies. Programs on other ports of one host share its cookies, so several may
 * have this name: the first that looks like ours counts.
 */
export function sessionTokenIn(cookies: string | undefined, cookie: string = SESSION_COOKIE): string | undefined {
  if (cookies === undefined) return undefined;
  const name = `${cookie}=`;
  for (let at = cookies.indexOf(name); at !== -1; at = cookies.indexOf(name, at + name.length)) {
    const from = at + name.length;
    const to = from + SECRET_LENGTH;
    const isWhole = (at === 0 || isBetween(cookies[at - 1])) && (to === cookies.length || isBetween(cookies[to]));
    if (isWhole && cookies.startsWith(SESSION_PREFIX, from)) return cookies.slice(from, to);
  }
  return undefined;
}

const isBetween = (character: string | undefined): boolean => character === ";" || character === " ";

type Headers = { cookie?: string | undefined; "sec-fetch-site"?: string | string[] | undefined };

/** The token of a request to a server that people reach over https: there the plain name is for programs only. */
export const hostSessionTokenIn = ({ cookie, "sec-fetch-site": site }: Headers): string | undefined =>
  sessionTokenIn(cookie, HOST_SESSION_COOKIE) ?? (site === undefined ? sessionTokenIn(cookie) : undefined);
