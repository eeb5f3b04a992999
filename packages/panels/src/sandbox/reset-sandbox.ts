import { Problem } from "@backplane/kit/problems";
import type { Services, Workspace } from "../services.ts";
import type { SandboxTab } from "./active-sandbox.ts";
import type { EvalQueue } from "./eval-queue.ts";

/** A new frame is there much sooner. After this it still comes: every browser follows the state. */
const READY_WITHIN_MS = 2_000;

/** Another generation is another frame, in every browser and in those that open later. What waited is dropped. */
export async function resetSandbox(
  { workspaces, live }: Pick<Services, "workspaces" | "live">,
  queue: EvalQueue,
  { workspace, sandbox, drivenBy }: { workspace: Workspace; sandbox: SandboxTab; drivenBy: string | undefined },
): Promise<void> {
  const tabId = sandbox.tab.id;
  const generation = (sandbox.state.generation ?? 0) + 1;
  const [tab] = await Promise.all([
    workspaces.patchState(workspace.id, tabId, { generation }, drivenBy),
    queue.drop({ workspaceId: workspace.id, tabId }),
  ]);
  if (!tab) throw new Problem("panel-unknown", { detail: "The panel was closed meanwhile." });
  await live.ask(workspace.id, { kind: "reset", tabId, generation }, { timeoutMs: READY_WITHIN_MS });
}
