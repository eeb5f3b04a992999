import { hash, randomBytes } from "node:crypto";
import { PANELS_LIMITS } from "@backplane/contract/panels";
import type { Claims } from "@backplane/kit/bus";
import type { Access } from "@backplane/kit/callers";

const TICKET_BYTES = 32;
const TICKET = /^[A-Za-z0-9_-]{43}$/;

/** What a ticket lets its holder do: use this workspace, for as long as the access of the request for it lasts. */
export type Grant = { readonly workspaceId: string; readonly access: Access };

export type Tickets = {
  issue(grant: Grant): Promise<string>;
  /** Works once, within the ticket's life, on any instance. The ticket is used up, whatever happens next. */
  take(ticket: unknown): Promise<Grant | undefined>;
};

export function createTickets(
  claims: Claims,
  newTicket = () => randomBytes(TICKET_BYTES).toString("base64url"),
): Tickets {
  return {
    async issue(grant) {
      const ticket = newTicket();
      await claims.claim(keyOf(ticket), JSON.stringify(grant), PANELS_LIMITS.ticketLifeMs);
      return ticket;
    },
    async take(ticket) {
      if (typeof ticket !== "string" || !TICKET.test(ticket)) return undefined;
      const grant = await claims.take(keyOf(ticket));
      return grant === undefined ? undefined : (JSON.parse(grant) as Grant);
    },
  };
}

/** Hashed, so that a copy of Redis contains no usable tickets. */
const keyOf = (ticket: string): string => `panels-grant:${hash("sha256", ticket, "hex")}`;
