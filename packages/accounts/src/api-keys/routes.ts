import {
  ALL_SCOPES,
  API_KEY_LIMITS,
  ApiKey,
  CreateApiKey,
  CredentialParams,
  NewApiKey,
  type Scope,
} from "@backplane/contract/accounts";
import type { Clock } from "@backplane/kit/clock";
import type { App } from "@backplane/kit/http";
import { Problem } from "@backplane/kit/problems";
import { Type } from "typebox";
import { CHANGING, READING, requireBrowser, requireSession } from "../callers/access.ts";
import type { Callers } from "../callers/callers.ts";
import { readLabel } from "../sessions/label.ts";
import type { ApiKeyRow, ApiKeyStore } from "./store.ts";

export type ApiKeyRoutes = {
  apiKeys: ApiKeyStore;
  callers: Pick<Callers, "whoIsCalling" | "forget">;
  now: Clock;
};

const describe = (summary: string) => ({ tags: ["api-keys"], summary });

/** Keys for programs. Only a browser creates them: a program must not use its session to get access that outlives it. */
export function serveApiKeys(app: App, { apiKeys, callers, now }: ApiKeyRoutes): void {
  const { whoIsCalling, forget } = callers;

  app.get(
    "/auth/api-keys",
    {
      ...READING,
      schema: {
        ...describe("List your API keys, newest first"),
        access: "session",
        response: { 200: Type.Object({ api_keys: Type.Array(ApiKey) }) },
      },
    },
    async (request) => {
      const { userId } = await requireSession(whoIsCalling, request);
      return { api_keys: (await apiKeys.list(userId)).map(toWire) };
    },
  );

  app.post(
    "/auth/api-keys",
    {
      ...CHANGING,
      schema: {
        ...describe("Create an API key; it is shown only once"),
        access: "browser",
        problems: ["too-many-of-these"],
        body: CreateApiKey,
        response: { 201: NewApiKey },
      },
    },
    async (request, reply) => {
      const { userId, credentialId } = await requireBrowser(whoIsCalling, request);
      const { name, scopes = ALL_SCOPES } = request.body;
      const made = await apiKeys.make({ userId, sessionId: credentialId }, { name: readLabel(name), scopes }, now());
      if (made === "too-many") throw tooMany();
      return reply.code(201).send({ ...toWire(made.row), key: made.key });
    },
  );

  app.delete(
    "/auth/api-keys/:id",
    {
      ...CHANGING,
      schema: {
        ...describe("Revoke an API key; it stops working at once"),
        access: "session",
        problems: ["not-found"],
        params: CredentialParams,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const { userId } = await requireSession(whoIsCalling, request);
      const { id } = request.params;
      if (!(await apiKeys.end(userId, id))) {
        throw new Problem("not-found", { detail: "You have no API key with this id." });
      }
      await forget([id]);
      return reply.code(204).send(null);
    },
  );
}

const tooMany = () =>
  new Problem("too-many-of-these", {
    detail: `An account can have ${API_KEY_LIMITS.maxPerUser} API keys. Revoke one that you no longer use.`,
  });

const toWire = (row: ApiKeyRow): ApiKey => ({
  id: row.id,
  name: row.name,
  scopes: row.scopes.split(",") as Scope[],
  hint: row.hint,
  created_at: new Date(row.created_at_ms).toISOString(),
  last_used_at: row.last_used_at_ms === null ? null : new Date(row.last_used_at_ms).toISOString(),
});
