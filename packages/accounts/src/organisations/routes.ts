import { CreateOrganisation, NAME_PATTERN, Organisation } from "@backplane/contract/accounts";
import { requireCaller } from "@backplane/kit/callers";
import type { App } from "@backplane/kit/http";
import { Type } from "typebox";
import { CHANGING, READING, requireBrowser } from "../callers/access.ts";
import { type MemberRoutes, serveMembers } from "./members-routes.ts";
import { createOrganisation, removeOrganisation } from "./organisations.ts";
import { readOrganisations } from "./read.ts";
import { refusal } from "./refusal.ts";

export type OrganisationsOptions = MemberRoutes;

const tags = ["organisations"];
const params = Type.Object({ name: Type.String({ pattern: NAME_PATTERN }) });

/** Groups of people that own workspaces and packages like a person does. */
export function serveOrganisations(app: App, options: OrganisationsOptions): void {
  const { database, whoIsCalling, now } = options;

  app.post(
    "/auth/organisations",
    {
      ...CHANGING,
      schema: {
        tags,
        summary: "Make an organisation; you are its first owner",
        body: CreateOrganisation,
        response: { 201: Organisation },
      },
    },
    async (request, reply) => {
      const caller = await requireBrowser(whoIsCalling, request);
      reply.code(201);
      return createOrganisation(database, caller, request.body, now());
    },
  );

  app.get(
    "/auth/organisations",
    {
      ...READING,
      schema: {
        tags,
        summary: "The organisations you are in",
        response: { 200: Type.Object({ organisations: Type.Array(Organisation) }) },
      },
    },
    async (request) => {
      const { userId } = await requireCaller(whoIsCalling, request, "read");
      return { organisations: await readOrganisations(database, userId) };
    },
  );

  app.get(
    "/auth/organisations/:name",
    {
      ...READING,
      schema: { tags, summary: "An organisation you are in", params, response: { 200: Organisation } },
    },
    async (request) => {
      const { userId } = await requireCaller(whoIsCalling, request, "read");
      const [organisation] = await readOrganisations(database, userId, request.params.name);
      if (!organisation) throw refusal("unknown-organisation");
      return organisation;
    },
  );

  app.delete(
    "/auth/organisations/:name",
    {
      ...CHANGING,
      schema: { tags, summary: "Remove an organisation you own", params, response: { 204: Type.Null() } },
    },
    async (request, reply) => {
      const { userId } = await requireBrowser(whoIsCalling, request);
      const outcome = await removeOrganisation(database, userId, request.params.name);
      if (outcome !== "removed") throw refusal(outcome);
      return reply.code(204).send(null);
    },
  );

  serveMembers(app, options);
}
