import type { Scope } from "@backplane/contract/accounts";
import type { WorkspaceParams } from "@backplane/contract/panels";
import type { Dependencies } from "@backplane/devices";
import { requireCaller, type WhoIsCalling } from "@backplane/kit/callers";
import type { PanelsArea } from "@backplane/panels";

type May = Parameters<Dependencies["openWorkspace"]>[1];

const SEEING: readonly [Scope, ...Scope[]] = ["devices:read", "devices:control", "read", "panels"];
/** Which scopes an API key needs one of. Whoever may see devices may stop them. */
const SCOPES: Readonly<Record<May, readonly [Scope, ...Scope[]]>> = {
  read: SEEING,
  stop: SEEING,
  control: ["devices:control"],
};

export const authenticateForDevices =
  (whoIsCalling: WhoIsCalling): Dependencies["authenticate"] =>
  async (request, may) =>
    void (await requireCaller(whoIsCalling, request, ...SCOPES[may]));

/** Workspaces belong to panels, callers to accounts: devices get both from here. */
export const openForDevices =
  (whoIsCalling: WhoIsCalling, { workspaces }: Pick<PanelsArea, "workspaces">): Dependencies["openWorkspace"] =>
  async (request, may) => {
    const caller = await requireCaller(whoIsCalling, request, ...SCOPES[may]);
    // A question creates no workspace: its name may be mistyped.
    const opened = await workspaces.openFor(caller, request.params as WorkspaceParams, { create: may === "control" });
    return { ...opened, caller, mayControl: caller.scopes.includes("devices:control") };
  };
