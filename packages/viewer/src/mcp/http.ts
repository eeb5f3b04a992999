import type { IncomingMessage, ServerResponse } from "node:http";
import { MCP_PATH } from "@backplane/contract/viewer";
import { type AnswerFirst, type App, DATA_HEADERS } from "@backplane/kit/http";
import { serveMessages } from "@backplane/kit/mcp";
import { Problem } from "@backplane/kit/problems";
import type { NodeMcpRequestHandler } from "@modelcontextprotocol/node";
import type { ViewerAccess } from "../services.ts";
import type { MessageHandler } from "./handler.ts";
import { MCP_LIMITS, type McpLimits } from "./limits.ts";

/** Answers a message on node:http. The caller must have been checked before. */
export type AnswerMessage = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * `/mcp` for both eras of the protocol. There are no sessions: each message is complete, so clients survive a restart, and
 * nothing is kept for clients that never come back.
 */
export function serveMcp(app: App, access: ViewerAccess, limits: Partial<McpLimits> = {}): AnswerMessage {
  const { log } = app;
  // Loaded with the first message: few projects have an AI client, and the SDK would slow down every start.
  let loading: Promise<MessageHandler> | undefined;
  const load = () => {
    loading ??= import("./handler.ts").then(({ createMessageHandler }) =>
      createMessageHandler({ access, log, limits }),
    );
    return loading;
  };
  const answer: NodeMcpRequestHandler = async (...message) => (await load()).answer(...message);

  serveMessages(app, {
    ...{ url: MCP_PATH, answer, maxBodyBytes: MCP_LIMITS.maxBodyBytes },
    // Programs send no Origin. Pages that are not served from this machine are refused, even if DNS points their name here.
    async check({ headers: { origin } }) {
      if (origin !== undefined && !(await load()).isFromHere(origin)) {
        throw new Problem("foreign-page", {
          detail: "MCP clients that run in a web page must be served from this machine.",
        });
      }
    },
  });

  // Waiting calls and subscriptions would keep the server from stopping.
  app.addHook("preClose", async () => (await loading)?.close());

  return (request, response) => {
    response.setHeaders(HEADERS);
    answer(request as McpRequest, response).catch((error) => {
      log.error({ err: error }, "MCP");
      response.destroy();
    });
  };
}

/** The SDK adds its own headers; they replace these. */
const HEADERS = new Map(
  DATA_HEADERS.flatMap((name, place) => (place % 2 === 0 ? [[name, DATA_HEADERS[place + 1] ?? ""] as const] : [])),
);

/** Node's request as the SDK types it, without authentication info. */
type McpRequest = Parameters<NodeMcpRequestHandler>[0];

export type QuickMessages = {
  /** Whether a request is certainly allowed. For others the routes decide. */
  isPlainCaller: (request: IncomingMessage) => boolean;
  answer: AnswerMessage;
  observe?: (status: number, seconds: number) => void;
};

/** Answers programs on this machine before Fastify sees the request, because an AI client waits for each answer. */
export function answerQuickly({ isPlainCaller, answer, observe }: QuickMessages): AnswerFirst {
  return (request, response) => {
    const { method, url, headers } = request;
    if (url !== MCP_PATH || method !== "POST") return false;
    // Also false if the length is not given.
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
