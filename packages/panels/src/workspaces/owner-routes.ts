import { RemoveWorkspaceQuery, RenameWorkspace, WorkspaceParams } from "@backplane/contract/panels";
import type { App } from "@backplane/kit/http";
import { Problem } from "@backplane/kit/problems";
import { Type } from "typebox";
import { listFiles } from "../files/files.ts";
import { about, CHANGING, workspaceCaller } from "../route-options.ts";
import type { Project, Services } from "../services.ts";

const WORKSPACE = "/api/workspaces/editor/:owner/:repo";

/** What only those who decide for an owner may do with a workspace. */
export function serveOwnerCalls(app: App, services: Services): void {
  const { workspaces, live, log, whoIsCalling, onFault } = services;

  app.patch(
    WORKSPACE,
    {
      ...CHANGING,
      schema: {
        ...about("Rename a workspace", "Open pages follow it. Its files stay where they are.", [
          ...(["owner-only", "name-taken"] as const),
        ]),
        body: RenameWorkspace,
        response: { 200: WorkspaceParams },
      },
    },
    async (request) => {
      const caller = await workspaceCaller(whoIsCalling, request);
      const { owner, repo, id } = await workspaces.rename(caller, request.params, request.body.repo);
      log.note(id, "info", "workspace", `Renamed to ${repo} by ${caller.userName}`);
      // A page that does not hear of it works on, until it is loaded again.
      live.tell(id, { type: "renamed", owner, repo }).catch(onFault);
      return { owner, repo };
    },
  );

  app.delete(
    WORKSPACE,
    {
      ...CHANGING,
      schema: {
        ...about("Remove a workspace", "Its layout, log and waiting code; its files only with `files=true`.", [
          "owner-only",
        ]),
        querystring: RemoveWorkspaceQuery,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const caller = await workspaceCaller(whoIsCalling, request);
      const removed = await workspaces.remove(caller, request.params);
      if (!removed) throw new Problem("not-found", { detail: "There is no workspace with this name." });
      if (request.query.files === true) await removeFiles(services, removed);
      return reply.code(204).send(null);
    },
  );
}

async function removeFiles({ files, usage }: Pick<Services, "files" | "usage">, project: Project): Promise<void> {
  const { files: all } = await listFiles(files.folderOf(project));
  const bytes = all.reduce((sum, { size }) => sum + size, 0);
  await usage.changing(project.ownerId, -bytes, () => files.removeProject(project));
}
