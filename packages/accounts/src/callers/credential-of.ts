import { refuseForeignPage } from "@backplane/kit/http";
import type { FastifyRequest } from "fastify";
import { hostSessionTokenIn, sessionTokenIn } from "./cookies.ts";
import { SECRET_LENGTH } from "./secret-shape.ts";

const BEARER = "Bearer ";

/**
 * The session token or API key of a request. What a program sends on purpose goes before the cookie that a browser sends
 * by itself, and decides alone, also when it is not valid. Throws "foreign-page" when a page of another origin would act
 * by the cookie.
 */
export function credentialOf(request: FastifyRequest, overHttps: boolean): string | undefined {
  const { authorization, "x-api-key": apiKey, cookie } = request.headers;
  const given = bearerIn(authorization) ?? apiKey;
  if (given !== undefined) return typeof given === "string" && given.length === SECRET_LENGTH ? given : undefined;
  const token = overHttps ? hostSessionTokenIn(request.headers) : sessionTokenIn(cookie);
  if (token !== undefined && changesSomething(request)) refuseForeignPage(request);
  return token;
}

/** Another scheme is not meant for us: proxies ask for Basic of their own. */
function bearerIn(authorization: string | undefined): string | undefined {
  if (authorization === undefined) return undefined;
  const isBearer =
    authorization.startsWith(BEARER) || authorization.slice(0, BEARER.length).toLowerCase() === "bearer ";
  return isBearer ? authorization.slice(BEARER.length) : undefined;
}

/** A WebSocket begins as a GET, and a page of any origin may open one. */
const changesSomething = ({ method, headers }: FastifyRequest): boolean =>
  (method !== "GET" && method !== "HEAD") || headers.upgrade !== undefined;
