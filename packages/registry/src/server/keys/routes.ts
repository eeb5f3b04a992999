import { RegistryKeys } from "@backplane/contract/registry";
import type { Caller } from "@backplane/kit/callers";
import type { Clock } from "@backplane/kit/clock";
import type { Database } from "@backplane/kit/database";
import { type App, refuseForeignPage } from "@backplane/kit/http";
import { Problem } from "@backplane/kit/problems";
import type { FastifyRequest } from "fastify";
import { Type } from "typebox";
import { PUBLIC_ROUTE, tags } from "../serving/answer-file.ts";
import type { RegistryTables } from "../tables.ts";
import { addNextKey, promoteNextKey, readyAt } from "./signing-keys.ts";

export type KeyRoutes = {
  database: Database<RegistryTables>;
  requireInstanceOwner(request: FastifyRequest): Promise<Caller>;
  now: Clock;
  /** Resolves when this instance serves the new state. */
  changed(): Promise<void>;
};

const MAX_BODY_BYTES = 1_024;

const ChangeKeys = Type.Object({ promote: Type.Optional(Type.Boolean()) });

/** The keys that sign the index: their public parts, and how they are replaced. */
export function serveKeys(app: App, { database, requireInstanceOwner, now, changed }: KeyRoutes): void {
  app.get(
    "/registry/keys",
    {
      ...PUBLIC_ROUTE,
      schema: { tags, summary: "The public keys that sign the index", response: { 200: RegistryKeys } },
    },
    async (_request, reply) => {
      reply.header("cache-control", "no-cache");
      return readKeys(database);
    },
  );

  app.post(
    "/registry/keys",
    {
      onRequest: async (request) => refuseForeignPage(request),
      bodyLimit: MAX_BODY_BYTES,
      schema: {
        tags,
        summary: "Replace the key that signs the index",
        description:
          "The first call creates the next key: it is announced, and both keys sign. From `ready_at` on, when clients had " +
          "time to see it, `promote` replaces the current key with it.",
        access: "instance-owner",
        problems: ["key-too-new"],
        body: Type.Optional(Type.Union([ChangeKeys, Type.Null()])),
        response: { 200: RegistryKeys, 201: RegistryKeys },
      },
    },
    async (request, reply) => {
      await requireInstanceOwner(request);
      const promote = request.body?.promote === true;
      const outcome = promote ? await promoteNextKey(database, now()) : await addNextKey(database, now());
      if (outcome === "no-next-key") throw noNextKey();
      if (typeof outcome === "object") throw tooEarly(outcome.readyAtMs);
      if (outcome) await changed();
      reply.code(outcome === true ? 201 : 200).header("cache-control", "no-store");
      return readKeys(database);
    },
  );
}

const noNextKey = (): Problem =>
  new Problem("invalid-input", {
    detail: "There is no next key. Create it first: send this request without promote.",
    errors: [{ pointer: "/promote", message: "needs a next key" }],
  });

const tooEarly = (readyAtMs: number): Problem =>
  new Problem("key-too-new", {
    detail: `Clients need time to see the next key. It can replace the current one from ${isoTime(readyAtMs)} on.`,
    errors: [{ pointer: "/promote", message: `is possible from ${isoTime(readyAtMs)} on` }],
  });

const isoTime = (ms: number): string => new Date(ms).toISOString();

/** The private parts are not even read. */
async function readKeys({ durable }: Database<RegistryTables>): Promise<RegistryKeys> {
  const rows = await durable
    .selectFrom("registry_keys")
    .select(["id", "public_key", "state", "created_at_ms"])
    .orderBy("created_at_ms", "desc")
    .orderBy("id")
    .execute();
  return {
    keys: rows.map(({ id, public_key, state, created_at_ms }) => ({
      ...{ id, state, key: public_key },
      created_at: isoTime(created_at_ms),
      ...(state === "next" ? { ready_at: isoTime(readyAt({ created_at_ms })) } : {}),
    })),
  };
}
