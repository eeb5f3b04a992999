import { SharedPeople, WorkspaceParams } from "@backplane/contract/panels";
import type { Caller } from "@backplane/kit/callers";
import { type App, refuseForeignPage } from "@backplane/kit/http";
import { Problem } from "@backplane/kit/problems";
import type { FastifyRequest } from "fastify";
import { Type } from "typebox";
import { about, CHANGING, READING, workspaceCaller } from "../route-options.ts";
import type { Services } from "../services.ts";

const WORKSPACE = "/api/workspaces/editor/:owner/:repo";
const PersonParams = Type.Object({ ...WorkspaceParams.properties, name: WorkspaceParams.properties.owner });
const PROBLEMS = ["owner-only", "own-account"] as const;

const aboutPeople = (summary: string, description?: string) => ({
  ...{ ...about(summary, description, PROBLEMS), access: "browser" as const },
  response: { 204: Type.Null() },
});

/** With whom a workspace is shared. Only people in a browser change that: programs and keys do not decide who has access. */
export function servePeople(app: App, { workspaces, log, whoIsCalling }: Services): void {
  const { people } = workspaces;

  const requireBrowser = async (request: FastifyRequest): Promise<Caller> => {
    refuseForeignPage(request);
    const caller = await workspaceCaller(whoIsCalling, request);
    if (caller.kind !== "Browser") throw new Problem("browser-session-needed");
    return caller;
  };

  app.get(
    `${WORKSPACE}/people`,
    {
      ...READING,
      schema: { ...about("With whom it is shared", undefined, PROBLEMS), response: { 200: SharedPeople } },
    },
    async (request) => ({
      people: await people.list(await workspaceCaller(whoIsCalling, request), request.params),
    }),
  );

  app.put(
    `${WORKSPACE}/people/:name`,
    {
      ...CHANGING,
      schema: {
        ...aboutPeople("Share a workspace with a person", "They may use it when they have accepted: POST …/accept."),
        params: PersonParams,
      },
    },
    async (request, reply) => {
      const caller = await requireBrowser(request);
      const { name } = request.params;
      const id = await people.invite(caller, request.params, name);
      log.note(id, "info", "workspace", `${caller.userName} invited ${name}`);
      return reply.code(204).send(null);
    },
  );

  app.post(
    `${WORKSPACE}/accept`,
    { ...CHANGING, schema: aboutPeople("Accept that a workspace is shared with you") },
    async (request, reply) => {
      const caller = await requireBrowser(request);
      const id = await people.accept(caller, request.params);
      log.note(id, "info", "workspace", `${caller.userName} joined`);
      return reply.code(204).send(null);
    },
  );

  app.delete(
    `${WORKSPACE}/people/:name`,
    {
      ...CHANGING,
      schema: {
        ...aboutPeople(
          "Stop sharing it with a person; with your own name: leave it, or decline",
          "Ends within a second.",
        ),
        params: PersonParams,
      },
    },
    async (request, reply) => {
      const caller = await requireBrowser(request);
      const { name } = request.params;
      const id = await people.remove(caller, request.params, name);
      log.note(
        id,
        "info",
        "workspace",
        name === caller.userName ? `${name} left` : `${caller.userName} removed ${name}`,
      );
      return reply.code(204).send(null);
    },
  );
}
