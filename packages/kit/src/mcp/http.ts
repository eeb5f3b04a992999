import type { IncomingMessage } from "node:http";
import type { NodeMcpRequestHandler } from "@modelcontextprotocol/node";
import type { FastifyReply, FastifyRequest, FastifySchema } from "fastify";
import type { App } from "../http/app-type.ts";
import { addUsualHeaders } from "../http/usual-headers.ts";

export type MessageRoute = {
  url: string;
  schema?: FastifySchema;
  /** Answers a message on node:http. */
  answer: NodeMcpRequestHandler;
  maxBodyBytes: number;
  /** Before the body is read. */
  check?: (request: FastifyRequest) => void | Promise<void>;
  /** What a server learns of the request that it is created for: the `extra` of its `authInfo`. */
  extraOf?: (request: FastifyRequest, reply: FastifyReply) => Promise<Record<string, unknown>>;
};

/** The streamable HTTP transport at one address. */
export function serveMessages(app: App, { url, schema, answer, maxBodyBytes, check, extraOf }: MessageRoute): void {
  app.register(async (scope) => {
    // The SDK checks the body, whatever its type, and answers as the protocol requires.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser("*", { parseAs: "string", bodyLimit: maxBodyBytes }, (_request, body, done) =>
      done(null, body),
    );
    scope.route({
      method: ["POST", "GET", "DELETE"],
      url,
      schema: { ...schema, hide: true },
      onRequest: async (request) => check?.(request),
      handler: async (request, reply) => {
        const extra = await extraOf?.(request, reply);
        reply.hijack();
        addUsualHeaders(reply);
        for (const [name, value] of Object.entries(reply.getHeaders())) {
          if (value !== undefined) reply.raw.setHeader(name, value);
        }
        await answer(withExtra(request.raw, extra), reply.raw, parsed(request.body));
      },
    });
  });
}

/** Node's request as the SDK types it. */
type McpRequest = Parameters<NodeMcpRequestHandler>[0];

function withExtra(request: IncomingMessage, extra: Record<string, unknown> | undefined): McpRequest {
  const auth = { token: "", clientId: "", scopes: [], extra };
  return (extra === undefined ? request : Object.assign(request, { auth })) as McpRequest;
}

/** Undefined if it is not JSON; the SDK then answers with its own error. */
function parsed(body: unknown): unknown {
  if (typeof body !== "string" || body === "") return undefined;
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
