import type { IncomingMessage, ServerResponse } from "node:http";
import type { AnswerFirst } from "@backplane/kit/http";
import type { Metrics } from "@backplane/kit/metrics";
import { answerFile, type Served } from "./answer-file.ts";

export type QuickAnswerOptions = {
  at(path: string): Served | undefined;
  /** Resolves when this instance serves the newest. */
  fresh(): Promise<void>;
  observe: Metrics["observeRequest"];
};

const FOLDER = "/registry/";
const REPOSITORY = "/repository.json";

/**
 * The index files on node:http, before Fastify sees the request: they are what every client asks for, again and again.
 * An address with a query, and what is not in memory, is left to the routes.
 */
export function createQuickAnswers({ at, fresh, observe }: QuickAnswerOptions): AnswerFirst {
  function answer(request: IncomingMessage, response: ServerResponse, it: Served, startMs: number): void {
    const status = answerFile(request, response, it);
    const seconds = startMs === 0 ? 0 : (performance.now() - startMs) / 1_000;
    observe({ method: request.method ?? "GET", route: it.route, status }, seconds);
  }

  async function answerFresh(request: IncomingMessage, response: ServerResponse, url: string): Promise<void> {
    const startMs = performance.now();
    await fresh();
    const it = at(url);
    if (it && !response.destroyed) answer(request, response, it, startMs);
  }

  return (request, response) => {
    const { method, url = "" } = request;
    if ((method !== "GET" && method !== "HEAD") || !url.startsWith(FOLDER)) return false;
    const it = at(url);
    if (!it) return false;
    if (url.endsWith(REPOSITORY)) void answerFresh(request, response, url);
    else answer(request, response, it, 0);
    return true;
  };
}
