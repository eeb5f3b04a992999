import type { OfferedPanel, PanelPackages } from "@backplane/contract/panels";
import { useMemo } from "react";
import { useResource } from "../../calls/use-resource.ts";
import { type WorkspaceName, workspaceRoute } from "../calls.ts";
import type { PackageChoice } from "./commands.ts";
import { packageChoices } from "./package-choices.ts";

/** What the catalog offers from packages. */
export function usePackageChoices(workspace: WorkspaceName): PackageChoice[] {
  const own = useResource<PanelPackages>(workspaceRoute(workspace, "/packages")).value;
  const offered = useResource<{ panels: OfferedPanel[] }>(workspaceRoute(workspace, "/packages/offered")).value;
  return useMemo(
    () => packageChoices(own?.panels ?? [], own?.drafts ?? [], own && offered ? offered.panels : []),
    [own, offered],
  );
}
