import { CreateSecretAddress, NewSecretAddress, PRIVATE_LIMITS, SecretAddress } from "@backplane/contract/registry";
import { requireCaller, type WhoIsCalling } from "@backplane/kit/callers";
import type { Clock } from "@backplane/kit/clock";
import type { Database } from "@backplane/kit/database";
import { type App, refuseForeignPage } from "@backplane/kit/http";
import { Problem } from "@backplane/kit/problems";
import type { FastifyReply, FastifyRequest } from "fastify";
import { Type } from "typebox";
import type { Owners } from "../owners.ts";
import { tags } from "../serving/answer-file.ts";
import type { RegistryTables } from "../tables.ts";
import { type AddressRow, addAddress, findAddress, readAddresses, removeAddress, removeEnded } from "./addresses.ts";

export type AddressRoutes = {
  database: Database<RegistryTables>;
  whoIsCalling: WhoIsCalling;
  owners: Owners;
  brands: readonly string[];
  baseUrl: string;
  now: Clock;
};

const OwnerQuery = Type.Object(
  { owner: Type.Optional(Type.String({ maxLength: 64 })) },
  { additionalProperties: false },
);
const MAX_BODY_BYTES = 4_096;

const onRequest = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
  reply.header("cache-control", "no-store");
  refuseForeignPage(request);
};

/** Secret addresses, which design tools read private packages at. */
export function serveAddresses(
  app: App,
  { database, whoIsCalling, owners, brands, baseUrl, now }: AddressRoutes,
): void {
  /** Only browsers: a program must not use its session to get access that outlives it. */
  async function requireBrowser(request: FastifyRequest): Promise<string> {
    const { userId, kind } = await requireCaller(whoIsCalling, request, "publish");
    if (kind !== "Browser") throw new Problem("browser-session-needed");
    return userId;
  }

  async function ownerIdOf(userId: string, owner: string | undefined): Promise<string> {
    const ownerId = owner === undefined ? userId : await owners.resolve(userId, owner);
    if (ownerId === undefined) throw new Problem("owner-only", { detail: `You may not act for "${owner}".` });
    await removeEnded(database, owners, ownerId);
    return ownerId;
  }

  app.get(
    "/registry/addresses",
    {
      onRequest,
      schema: {
        ...{ tags, summary: "List your secret addresses, newest first" },
        ...{ access: "browser", problems: ["owner-only"] },
        querystring: OwnerQuery,
        response: { 200: Type.Object({ addresses: Type.Array(SecretAddress) }) },
      },
    },
    async (request) => {
      const userId = await requireBrowser(request);
      const rows = await readAddresses(database, await ownerIdOf(userId, request.query.owner));
      return { addresses: rows.map(toWire) };
    },
  );

  app.post(
    "/registry/addresses",
    {
      onRequest,
      bodyLimit: MAX_BODY_BYTES,
      schema: {
        ...{ tags, summary: "Create a secret address for private packages; it is shown only once" },
        ...{ access: "browser", problems: ["owner-only", "too-many-of-these"] },
        body: CreateSecretAddress,
        response: { 201: NewSecretAddress },
      },
    },
    async (request, reply) => {
      const userId = await requireBrowser(request);
      const { name, owner } = request.body;
      const ownerId = await ownerIdOf(userId, owner);
      const added = await addAddress(database, { ownerId, name, userId, nowMs: now() });
      if (added === "too-many") throw tooMany();
      const root = `${baseUrl}/registry/private/${added.token}`;
      const urls = Object.fromEntries(brands.map((brand) => [brand, `${root}/${brand}/repository.json`]));
      return reply.code(201).send({ ...toWire(added.row), urls });
    },
  );

  app.delete(
    "/registry/addresses/:id",
    {
      onRequest,
      schema: {
        ...{ tags, summary: "Remove a secret address; it stops working at once" },
        ...{ access: "browser", problems: ["not-found"] },
        params: Type.Object({ id: Type.String({ maxLength: 64 }) }),
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const userId = await requireBrowser(request);
      const row = await findAddress(database, request.params.id);
      if (!row || !(await owners.mayAct(userId, row.owner_id))) throw new Problem("not-found");
      await removeAddress(database, row.id);
      return reply.code(204).send(null);
    },
  );
}

const tooMany = (): Problem =>
  new Problem("too-many-of-these", {
    detail: `An owner can have ${PRIVATE_LIMITS.maxAddresses} secret addresses. Remove one that is no longer used.`,
  });

const toWire = ({ id, name, created_at_ms }: AddressRow): SecretAddress => ({
  ...{ id, name },
  created_at: new Date(created_at_ms).toISOString(),
});
