import type { IncomingMessage } from "node:http";
import { MCP_PATH } from "@backplane/contract/viewer";
import type { AnswerFirst } from "@backplane/kit/http";
import type { AnswerMessage } from "./http.ts";
import { MCP_LIMITS } from "./limits.ts";

export type QuickMessages = {
  /** Whether a request plainly may call; whoever else may is for the routes to say. */
  isPlainCaller: (request: IncomingMessage) => boolean;
  answer: AnswerMessage;
  observe?: (status: number, seconds: number) => void;
};

/** What programs of this machine call, before the routes see it: an AI client waits for each answer. The rest is left to them. */
export function answerQuickly({ isPlainCaller, answer, observe }: QuickMessages): AnswerFirst {
  return (request, response) => {
    const { method, url, headers } = request;
    if (url !== MCP_PATH || method !== "POST") return false;
    // Also false for a body that does not say how long it is.
    const isBounded = Number(headers["content-length"]) <= MCP_LIMITS.maxBodyBytes;
    if (!isBounded || !isPlainCaller(request)) return false;
    if (observe) {
      const startedMs = performance.now();
      response.once("close", () => observe(response.statusCode, (performance.now() - startedMs) / 1_000));
    }
    answer(request, response);
    return true;
  };
}
