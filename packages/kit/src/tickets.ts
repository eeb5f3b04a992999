import { hash, randomBytes } from "node:crypto";
import type { Claims } from "./bus/index.ts";

const TICKET_BYTES = 32;
const TICKET = /^[A-Za-z0-9_-]{43}$/;

/** Tickets that open a socket: `Grant` is what its holder may do. */
export type Tickets<Grant> = {
  issue(grant: Grant): Promise<string>;
  /** Works once, within the ticket's life, on any instance. The ticket is used up, whatever happens next. */
  take(ticket: unknown): Promise<Grant | undefined>;
  /** Works as often as it is used within its life, which begins again with each use. */
  keep(ticket: unknown): Promise<Grant | undefined>;
};

/** `name` keeps the tickets of one use apart from those of others. */
export function createTickets<Grant>(
  claims: Claims,
  { name, lifeMs }: { name: string; lifeMs: number },
): Tickets<Grant> {
  /** Hashed, so that a copy of Redis contains no usable tickets. */
  const keyOf = (ticket: string): string => `${name}:${hash("sha256", ticket, "hex")}`;
  return {
    async issue(grant) {
      const ticket = randomBytes(TICKET_BYTES).toString("base64url");
      await claims.claim(keyOf(ticket), JSON.stringify(grant), lifeMs);
      return ticket;
    },
    async take(ticket) {
      if (typeof ticket !== "string" || !TICKET.test(ticket)) return undefined;
      const grant = await claims.take(keyOf(ticket));
      return grant === undefined ? undefined : (JSON.parse(grant) as Grant);
    },
    async keep(ticket) {
      if (typeof ticket !== "string" || !TICKET.test(ticket)) return undefined;
      const key = keyOf(ticket);
      const grant = await claims.read(key);
      if (grant === undefined || !(await claims.exchange(key, grant, grant, lifeMs))) return undefined;
      return JSON.parse(grant) as Grant;
    },
  };
}
