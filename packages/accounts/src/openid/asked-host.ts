import type { FastifyRequest } from "fastify";

/** The host, and port if it is not the usual one, that a browser asked; as `URL.host` writes it. */
export function askedHost({ protocol, host }: Pick<FastifyRequest, "protocol" | "host">): string {
  const asked = `${protocol}://${host}`;
  return URL.canParse(asked) ? new URL(asked).host : "";
}
