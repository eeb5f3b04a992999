import {
  CheckInvitation,
  CreateInvitation,
  Invitation,
  NewInvitation,
  OpenInvitation,
} from "@backplane/contract/accounts";
import type { WhoIsCalling } from "@backplane/kit/callers";
import type { Database } from "@backplane/kit/database";
import { type App, callerKey, limitRate } from "@backplane/kit/http";
import { Problem } from "@backplane/kit/problems";
import type { RateLimiter } from "@backplane/kit/rate-limiter";
import { Type } from "typebox";
import { CHANGING, READING, requireInstanceOwner } from "../callers/access.ts";
import type { AccountTables } from "../tables.ts";
import type { Invitations } from "./invitations.ts";

export type InvitationRoutes = {
  invitations: Invitations;
  whoIsCalling: WhoIsCalling;
  database: Database<AccountTables>;
  /** Where people reach the pages, without a slash at its end. */
  authUrl: string;
  limiter: RateLimiter;
};

const tags = ["accounts"];

export function serveInvitations(app: App, { invitations, authUrl, limiter, ...access }: InvitationRoutes): void {
  app.post(
    "/auth/invitations",
    {
      ...CHANGING,
      schema: {
        tags,
        summary: "Invite somebody: a link for one new account, for the owner",
        body: CreateInvitation,
        response: { 201: NewInvitation },
      },
    },
    async (request, reply) => {
      const { userId } = await requireInstanceOwner(access, request);
      const { invitation, token } = await invitations.create(userId, request.body.note ?? "");
      reply.code(201);
      // Behind the # it stays in the browser: no server and no log on the way sees it.
      return { ...invitation, url: `${authUrl}/auth/join#${token}` };
    },
  );

  app.get(
    "/auth/invitations",
    {
      ...READING,
      schema: {
        tags,
        summary: "Invitations and what became of them, for the owner",
        response: { 200: Type.Object({ invitations: Type.Array(Invitation) }) },
      },
    },
    async (request) => {
      await requireInstanceOwner(access, request);
      return { invitations: await invitations.list() };
    },
  );

  app.delete(
    "/auth/invitations/:id",
    {
      ...CHANGING,
      schema: {
        tags,
        summary: "Revoke an invitation, for the owner",
        params: Type.Object({ id: Type.String({ format: "uuid" }) }),
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      await requireInstanceOwner(access, request);
      const revoked = await invitations.revoke(request.params.id);
      if (!revoked) throw new Problem("not-found", { detail: "There is no such invitation." });
      return reply.code(204).send(null);
    },
  );

  app.post(
    "/auth/invitations/check",
    {
      ...READING,
      bodyLimit: CHANGING.bodyLimit,
      onRequest: [...READING.onRequest, limitRate(limiter, ({ ip }) => callerKey(ip))],
      schema: {
        tags,
        summary: "Whether an invitation is open, and whose it is",
        body: CheckInvitation,
        response: { 200: OpenInvitation },
      },
    },
    async (request) => {
      const found = await invitations.check(request.body.invitation);
      if (found === "unknown") throw new Problem("not-found", { detail: "There is no such invitation." });
      if (found === "ended") throw new Problem("invitation-ended", { detail: "Ask for a new one." });
      return found;
    },
  );
}
