import { join } from "node:path";
import { VIEWER_LIMITS } from "@backplane/contract/viewer";
import type { ListedTab } from "@backplane/sdk";
import { nameFromTitle, type Paste } from "@backplane/viewer/client";
import { minuteOf, plain } from "../text.ts";
import { NAMED_WITHIN_MS } from "../viewer/pastes.ts";
import { reachViewer, viewerSettingsAnywhere } from "../viewer/with-viewer.ts";

type Shown = { workspace: string; tab: ListedTab | undefined; name: string | undefined };

export type Added = { id: string; name: string; file: string };

/**
 * Adds a screenshot of a panel to those of the viewer. Its name comes from its text, as always. A plot often has none: then
 * it comes from the panel and the time.
 */
export async function addToViewer(host: NodeJS.Process, image: Buffer, shown: Shown): Promise<Added> {
  await using viewer = await reachViewer(host, viewerSettingsAnywhere(host, {}));
  const { access } = viewer;
  const title = titleOf(shown).slice(0, VIEWER_LIMITS.maxTitleCharacters);
  const { id } = await access.paste(image, title);
  const named = async (): Promise<Paste> => {
    if (shown.name !== undefined) return access.rename(id, shown.name, "you");
    const paste = await access.named(id, AbortSignal.timeout(NAMED_WITHIN_MS));
    const name = paste.namedBy === null ? nameFromTitle(`${title} ${minuteOf(new Date())}`) : undefined;
    return name === undefined ? paste : access.rename(id, name, "client");
  };
  const { name, optimized } = await named();
  return { id, name, file: join(access.project, optimized.path) };
}

/** `bench (sandbox)`, or the workspace if it is of no single panel. */
function titleOf({ workspace, tab }: Shown): string {
  if (tab === undefined) return `Workspace ${plain(workspace)}`;
  const [name, { kind }] = [plain(tab.name), tab];
  return name.toLowerCase() === kind ? name : `${name} (${kind})`;
}
