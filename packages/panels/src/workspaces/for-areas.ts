import type { WorkspaceParams } from "@backplane/contract/panels";
import type { Access, Caller } from "@backplane/kit/callers";
import { accessTo } from "../route-options.ts";
import type { Dependencies, Workspace, WorkspaceLog, Workspaces } from "../services.ts";
import { REMOVED_CHANNEL } from "./watches.ts";

type Named = Pick<Workspace, "id" | "owner" | "repo">;

/** What other areas may know of workspaces. */
export type WorkspacesForAreas = {
  /** 403, 404. `access` is for what goes on after the request. */
  openFor(
    caller: Caller,
    params: WorkspaceParams,
    options: { create: boolean },
  ): Promise<{ workspace: Named; access: Access }>;
  /** Undefined: it was removed. */
  named(workspaceId: string): Promise<Named | undefined>;
  /** Called on every instance. */
  onRemoved(listener: (workspaceId: string) => Promise<void>): void;
  /** Also of a workspace that somebody shares. */
  followAccess: Dependencies["followAccess"];
  note: WorkspaceLog["note"];
};

export function openForAreas(
  { database, bus, owners, followAccess, onFault }: Dependencies,
  workspaces: Pick<Workspaces, "openFor">,
  log: Pick<WorkspaceLog, "note">,
): WorkspacesForAreas {
  return {
    async openFor(caller, params, options) {
      const workspace = await workspaces.openFor(caller, params, options);
      const { id, owner, repo } = workspace;
      return { workspace: { id, owner, repo }, access: accessTo(caller, workspace) };
    },
    async named(id) {
      const row = await database.durable
        .selectFrom("panels_workspaces")
        .select(["owner_id", "repo"])
        .where("id", "=", id)
        .executeTakeFirst();
      const owner = row && (await owners.nameOf(row.owner_id));
      return row && { id, owner: owner ?? row.owner_id, repo: row.repo };
    },
    onRemoved(listener) {
      bus
        .subscribe(REMOVED_CHANNEL, async (id) => {
          if (typeof id === "string") await listener(id);
        })
        .catch(onFault);
    },
    followAccess,
    note: log.note,
  };
}
