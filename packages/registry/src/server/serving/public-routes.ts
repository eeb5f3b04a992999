import type { FastifyReply } from "fastify";

/** For routes that anybody may read, also pages of other origins; the answer's own headers come on top. */
export const PUBLIC_ROUTE = {
  onRequest: async (_request: unknown, reply: FastifyReply): Promise<void> => {
    reply.header("cross-origin-resource-policy", "cross-origin");
  },
};

export const tags = ["registry"];
