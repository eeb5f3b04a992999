import { SandboxCondition, type SandboxReport } from "@backplane/contract/panels";
import { fits } from "@backplane/kit/schemas";
import type { Services, Workspace } from "../services.ts";
import type { SandboxTab } from "./active-sandbox.ts";
import type { EvalQueue } from "./eval-queue.ts";

const ASK_FOR_MS = 1_000;

/** What a sandbox is like now: as its browser says, and as the server knows. */
export async function reportSandbox(
  { live }: Pick<Services, "live">,
  queue: EvalQueue,
  workspace: Workspace,
  { panelId, tab, state }: SandboxTab,
): Promise<SandboxReport> {
  const [answered, queued] = await Promise.all([
    live.ask(workspace.id, { kind: "sandbox", tabId: tab.id }, { timeoutMs: ASK_FOR_MS }),
    queue.length({ workspaceId: workspace.id, tabId: tab.id }),
  ]);
  const standing = answered.ok && fits(SandboxCondition, answered.value) ? answered.value : null;
  return {
    ...{ panelId, tabId: tab.id, queued, standing },
    headerHidden: state.headerHidden ?? false,
    generation: state.generation ?? 0,
    live: standing !== null,
  };
}
