import {
  CreateOrganisation,
  NAME_PATTERN,
  ORGANISATION_LIMITS,
  Organisation,
  OrganisationList,
  SetMember,
  UserOrganisation,
} from "@backplane/contract/accounts";
import { type OwnersRemoved, requireCaller, type WhoIsCalling } from "@backplane/kit/callers";
import type { Clock } from "@backplane/kit/clock";
import type { Database } from "@backplane/kit/database";
import type { App } from "@backplane/kit/http";
import { Problem, type ProblemCode } from "@backplane/kit/problems";
import { Type } from "typebox";
import { CHANGING, READING, requireBrowser } from "../callers/access.ts";
import type { Callers } from "../callers/callers.ts";
import type { AccountTables } from "../tables.ts";
import { acceptInvitation, listInvitations } from "./invitations.ts";
import { removeMember, setMember } from "./members.ts";
import { createOrganisation, readMemberships, readOrganisations, removeOrganisation } from "./organisations.ts";

export type OrganisationsOptions = {
  database: Database<AccountTables>;
  whoIsCalling: WhoIsCalling;
  /** `callers.forget` */
  forget: Callers["forget"];
  now: Clock;
  ownersRemoved: OwnersRemoved;
};

const tags = ["organisations"];
const Name = Type.String({ pattern: NAME_PATTERN });
const params = Type.Object({ name: Name });

/** Groups of people that own workspaces and packages like a person does. Only members can see them. */
export function serveOrganisations(app: App, options: OrganisationsOptions): void {
  const { database, whoIsCalling, forget, now, ownersRemoved } = options;

  app.post(
    "/auth/organisations",
    {
      ...CHANGING,
      schema: {
        tags,
        summary: "Create an organisation; you become its first owner",
        access: "browser",
        problems: ["name-taken", "too-many-of-these"],
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
        summary: "List the organisations you are in, and those that ask you to join",
        access: "read",
        response: { 200: OrganisationList },
      },
    },
    async (request) => {
      const { userId } = await requireCaller(whoIsCalling, request, "read");
      const [organisations, invitations] = await Promise.all([
        readOrganisations(database, userId),
        listInvitations(database, userId),
      ]);
      return { organisations, invitations };
    },
  );

  app.get(
    "/auth/organisations/:name",
    {
      ...READING,
      schema: {
        tags,
        summary: "Read an organisation you are in",
        access: "read",
        problems: ["not-found"],
        params,
        response: { 200: Organisation },
      },
    },
    async (request) => {
      const { userId } = await requireCaller(whoIsCalling, request, "read");
      return readOne(database, userId, request.params.name);
    },
  );

  app.delete(
    "/auth/organisations/:name",
    {
      ...CHANGING,
      schema: {
        tags,
        summary: "Remove an organisation you own",
        access: "browser",
        problems: ["not-found", "owner-only"],
        description:
          "Its workspaces are deleted with their files. Its packages stay; they go to the owner of the instance.",
        params,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const { userId } = await requireBrowser(whoIsCalling, request);
      const outcome = await removeOrganisation(database, userId, request.params.name, now());
      if (typeof outcome === "string") throw refusal(outcome);
      await forget([outcome.removedId]);
      await ownersRemoved([outcome.removedId]);
      return reply.code(204).send(null);
    },
  );

  serveMembers(app, options);
  serveOwnMemberships(app, options);
}

/** As programs of other systems ask for them. */
function serveOwnMemberships(app: App, { database, whoIsCalling }: OrganisationsOptions): void {
  app.get(
    "/user/orgs",
    {
      ...READING,
      schema: {
        tags,
        summary: "The organisations you are in, with your role",
        access: "read",
        response: { 200: Type.Array(UserOrganisation) },
      },
    },
    async (request) => readMemberships(database, (await requireCaller(whoIsCalling, request, "read")).userId),
  );
}

async function readOne(database: Database<AccountTables>, userId: string, name: string): Promise<Organisation> {
  const [organisation] = await readOrganisations(database, userId, name);
  if (!organisation) throw refusal("unknown-organisation");
  return organisation;
}

function serveMembers(app: App, { database, whoIsCalling, forget, now }: OrganisationsOptions): void {
  const paramsOfMember = Type.Object({ name: Name, user: Name });

  app.post(
    "/auth/organisations/:name/accept",
    {
      ...CHANGING,
      schema: {
        tags,
        summary: "Join an organisation that invited you",
        access: "browser",
        problems: ["not-found", "too-many-of-these"],
        params,
        response: { 200: Organisation },
      },
    },
    async (request) => {
      const { userId } = await requireBrowser(whoIsCalling, request);
      const outcome = await acceptInvitation(database, userId, request.params.name, now());
      if (outcome !== "joined") throw refusal(outcome);
      return readOne(database, userId, request.params.name);
    },
  );

  app.put(
    "/auth/organisations/:name/members/:user",
    {
      ...CHANGING,
      schema: {
        tags,
        summary: "Invite somebody to an organisation you own, or change the role of a member",
        access: "browser",
        problems: ["not-found", "owner-only", "last-owner", "too-many-of-these"],
        description: "They become a member when they accept: POST /auth/organisations/{name}/accept.",
        params: paramsOfMember,
        body: SetMember,
        response: { 200: Organisation },
      },
    },
    async (request) => {
      const { userId } = await requireBrowser(whoIsCalling, request);
      const change = { byUserId: userId, organisation: request.params.name, member: request.params.user };
      const outcome = await setMember(database, change, request.body.role, now());
      if (outcome !== "set") throw refusal(outcome);
      return readOne(database, userId, request.params.name);
    },
  );

  app.delete(
    "/auth/organisations/:name/members/:user",
    {
      ...CHANGING,
      schema: {
        tags,
        summary: "Remove somebody from an organisation you own, withdraw or decline an invitation, or leave",
        access: "browser",
        problems: ["not-found", "owner-only", "last-owner"],
        params: paramsOfMember,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const { userId } = await requireBrowser(whoIsCalling, request);
      const change = { byUserId: userId, organisation: request.params.name, member: request.params.user };
      const outcome = await removeMember(database, change);
      if (typeof outcome === "string") throw refusal(outcome);
      await forget([outcome.removedId]);
      return reply.code(204).send(null);
    },
  );
}

const REFUSALS = {
  "unknown-organisation": ["not-found", "You are not in an organisation with this name."],
  "not-invited": ["not-found", "No organisation with this name has invited you. Ask one of its owners."],
  "unknown-member": ["not-found", "There is no account with this name. Check the name."],
  "not-owner": ["owner-only", "Only an owner of this organisation can do this. Ask one of them."],
  "last-owner": ["last-owner", "Make somebody else an owner first."],
  "organisation-full": [
    "too-many-of-these",
    `An organisation can have ${ORGANISATION_LIMITS.maxMembers} members and invitations. Remove one first.`,
  ],
} as const satisfies Record<string, readonly [ProblemCode, string]>;

function refusal(reason: keyof typeof REFUSALS): Problem {
  const [code, detail] = REFUSALS[reason];
  return new Problem(code, { detail });
}
