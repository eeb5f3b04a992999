import { PANELS_LIMITS } from "@backplane/contract/panels";
import type { Claims } from "@backplane/kit/bus";
import type { Access } from "@backplane/kit/callers";
import { createTickets, type Tickets } from "@backplane/kit/tickets";

/** What a ticket lets its holder do: use this workspace, for as long as the access of the request for it lasts. */
export type Grant = { readonly workspaceId: string; readonly access: Access };

export type PanelTickets = Tickets<Grant>;

export const createPanelTickets = (claims: Claims): PanelTickets =>
  createTickets(claims, { name: "panels-grant", lifeMs: PANELS_LIMITS.ticketLifeMs });
