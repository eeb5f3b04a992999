import { isFromForeignPage } from "@backplane/kit/http";
import type { FastifyRequest } from "fastify";
import { isCalledByPage, isSandboxOrigin } from "./sandbox-origin.ts";

/**
 * Whether a browser says that a page makes this request which is not ours: whatever token it sends, it is refused. A page
 * without an origin may be ours, and shows it by the token, where it may call at all.
 */
export function isForeignPage(request: FastifyRequest): boolean {
  if (!isFromForeignPage(request, request.host)) return false;
  if (isSandboxOrigin(request)) return !isCalledByPage(request);
  return !isNavigation(request);
}

/** A link to the page, or a frame that shows it: who may frame it is said by its policy. A page reads nothing of either. */
const isNavigation = ({ method, headers }: FastifyRequest): boolean =>
  (method === "GET" || method === "HEAD") && headers.origin === undefined && headers["sec-fetch-mode"] === "navigate";
