import { type PackagePanelState, runsCode, type Tab } from "@backplane/contract/panels";
import { Problem } from "@backplane/kit/problems";
import type { InstalledPanels } from "./panel-packages.ts";

export type AdmitCode = (workspaceId: string, tab: Tab) => Promise<void>;

export const ADMIT_PROBLEMS = ["runs-no-code", "consent-needed", "package-unknown"] as const;

/** 409 unless the panel asks for code of programs in its panel.json, and a person has allowed that in this workspace. */
export const createAdmitCode =
  ({ shown }: Pick<InstalledPanels, "shown">): AdmitCode =>
  async (workspaceId, { panelState }) => {
    const { package: identifier, draft = false } = panelState as PackagePanelState;
    if (identifier === undefined) throw refusal("No package is chosen in this tab.");
    const { panel } = await shown({ workspaceId, identifier }, draft);
    if (!runsCode(panel.wants))
      throw refusal(`${panel.title} does not ask for it: its panel.json has no "eval" in "wants".`);
  };

const refusal = (detail: string): Problem =>
  new Problem("runs-no-code", { detail, errors: [{ pointer: "/panelId", message: "does not run code of programs" }] });
