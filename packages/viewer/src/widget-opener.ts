import { MAX_DIMENSION, PAGE_PATH, SCREENSHOTS_FOLDER, type Widget } from "@backplane/contract/viewer";
import { createWorkspaceCalls, type ListedWorkspace, WorkspaceFault } from "./workspace-calls.ts";

export type OpenerOptions = {
  /** Where people reach the viewer. */
  viewerUrl: string;
  /** Where people reach the workspaces. */
  baseUrl: string;
  /** `owner/name`; undefined: the one that a browser shows, the one used last first. */
  workspace: string | undefined;
  /** Undefined: nobody is known here who may open panels. */
  readApiKey: () => Promise<string | undefined>;
  fetch: typeof globalThis.fetch;
};

/** What the tab says; the next call finds it by this name and loads the page anew. */
const TAB_NAME = "Screenshot paste";
const USUAL_TITLE = "Paste a screenshot";

/** Opens the page in the viewer panel of a workspace. Never rejects: the address itself works everywhere. */
export function createWidgetOpener(options: OpenerOptions): (title: string | undefined) => Promise<Widget> {
  return async (title) => {
    const url = addressOf(options.viewerUrl, title);
    const widget = { url, title: title ?? USUAL_TITLE, folder: `${SCREENSHOTS_FOLDER}/`, maxDimension: MAX_DIMENSION };
    try {
      const workspace = await openIn(options, url);
      return { status: "opened", ...widget, workspace, reason: null };
    } catch (error) {
      if (!(error instanceof WorkspaceFault)) throw error;
      const reason = `${error.message.replace(/\.?$/, ".")} Or open the address in any browser of this machine.`;
      return { status: "not_opened", ...widget, workspace: null, reason };
    }
  };
}

function addressOf(viewerUrl: string, title: string | undefined): string {
  const query = title === undefined ? "" : `?${new URLSearchParams({ title })}`;
  return `${viewerUrl}${PAGE_PATH}${query}`;
}

async function openIn({ baseUrl, workspace, readApiKey, fetch }: OpenerOptions, url: string): Promise<string> {
  const apiKey = await readApiKey();
  if (apiKey === undefined) {
    throw new WorkspaceFault("No Backplane runs here that could show it. Start it with: backplane up");
  }
  const calls = createWorkspaceCalls({ baseUrl, apiKey, fetch });
  const known = await calls.list();
  const named = known.find(({ owner, repo }) => `${owner}/${repo}` === workspace);
  const chosen = workspace === undefined ? known.find(({ browserConnected }) => browserConnected) : named;
  if (!chosen?.browserConnected) throw new WorkspaceFault(nobodyLooks(baseUrl, workspace, chosen ?? known[0]));
  await calls.openTab(chosen, {
    panelType: "webview",
    displayName: TAB_NAME,
    initialState: { url, headerHidden: true },
    reuse: true,
  });
  return `${chosen.owner}/${chosen.repo}`;
}

function nobodyLooks(baseUrl: string, wanted: string | undefined, known: ListedWorkspace | undefined): string {
  const name = wanted ?? (known ? `${known.owner}/${known.repo}` : undefined);
  if (name === undefined)
    return `There is no workspace yet. Open ${baseUrl} in a browser and make one, then try again.`;
  return `No browser shows the workspace ${name}. Open ${baseUrl}/w/${name}, then try again.`;
}
