import { HOST_SESSION_COOKIE, SESSION_COOKIE } from "@backplane/contract/accounts";
import { refuseForeignPage } from "@backplane/kit/http";
import type { FastifyRequest } from "fastify";

/** A prefix of four characters and 256 bits in base64url, as `newSecret` makes them. */
const SECRET_LENGTH = 47;
const SESSION_PREFIX = "tok_";
const SESSION_TOKEN = /^tok_[A-Za-z0-9_-]{43}$/;
const API_KEY = /^bpk_[A-Za-z0-9_-]{43}$/;
const BEARER = "Bearer ";

export const isSessionToken = (text: string): boolean => text.length === SECRET_LENGTH && SESSION_TOKEN.test(text);
export const isApiKey = (text: string): boolean => text.length === SECRET_LENGTH && API_KEY.test(text);

/**
 * The session token or API key of a request. What a program sends on purpose is used alone, even when it is invalid; the
 * cookie that a browser adds by itself only counts without it. Throws "foreign-page" when a page on another origin uses the
 * cookie, except that its links may lead here. It cannot read answers, but some things happen on reading: a workspace is
 * created, a stream is opened.
 */
export function credentialOf(request: FastifyRequest, overHttps: boolean): string | undefined {
  const { authorization, "x-api-key": apiKey } = request.headers;
  const given = bearerIn(authorization) ?? apiKey;
  if (given !== undefined) return typeof given === "string" && given.length === SECRET_LENGTH ? given : undefined;
  const token = sessionTokenOf(request, overHttps);
  if (token !== undefined && !isFollowedLink(request)) refuseForeignPage(request);
  return token;
}

/** Other schemes are not for us: proxies use Basic for themselves. */
function bearerIn(authorization: string | undefined): string | undefined {
  if (authorization === undefined) return undefined;
  const isBearer =
    authorization.startsWith(BEARER) || authorization.slice(0, BEARER.length).toLowerCase() === "bearer ";
  return isBearer ? authorization.slice(BEARER.length) : undefined;
}

/** In a tab, not in a frame: nothing here is shown in the frame of another page. */
const isFollowedLink = ({ method, headers }: FastifyRequest): boolean =>
  method === "GET" && headers["sec-fetch-mode"] === "navigate" && headers["sec-fetch-dest"] === "document";

/**
 * The session token in the cookies of a request. Where people come over https, browsers must use the `__Host-` cookie;
 * the plain name is for programs, which send no `sec-fetch-site`.
 */
export function sessionTokenOf({ headers }: Pick<FastifyRequest, "headers">, overHttps: boolean): string | undefined {
  if (!overHttps) return sessionTokenIn(headers.cookie, SESSION_COOKIE);
  const token = sessionTokenIn(headers.cookie, HOST_SESSION_COOKIE);
  return (
    token ?? (headers["sec-fetch-site"] === undefined ? sessionTokenIn(headers.cookie, SESSION_COOKIE) : undefined)
  );
}

/**
 * Programs on other ports of the same host share its cookies, so several cookies may have this name: the first one whose
 * value looks like a session token counts.
 */
function sessionTokenIn(cookies: string | undefined, cookie: string): string | undefined {
  if (cookies === undefined) return undefined;
  const name = `${cookie}=`;
  for (let at = cookies.indexOf(name); at !== -1; at = cookies.indexOf(name, at + name.length)) {
    const from = at + name.length;
    const to = from + SECRET_LENGTH;
    const isWhole = (at === 0 || isSeparator(cookies[at - 1])) && (to === cookies.length || isSeparator(cookies[to]));
    if (isWhole && cookies.startsWith(SESSION_PREFIX, from)) return cookies.slice(from, to);
  }
  return undefined;
}

const isSeparator = (character: string | undefined): boolean => character === ";" || character === " ";

/** Out of reach for scripts and other sites. Secure only over https: a browser would not send it back over http. */
export const sessionCookie = (token: string, maxAgeS: number, overHttps: boolean): string =>
  `${overHttps ? HOST_SESSION_COOKIE : SESSION_COOKIE}=${token}; Path=/; Max-Age=${maxAgeS}; HttpOnly; SameSite=Strict${overHttps ? "; Secure" : ""}`;

/** Makes the browser delete its session cookie. */
export const endedSessionCookie = (overHttps: boolean): string => sessionCookie("", 0, overHttps);
