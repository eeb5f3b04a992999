import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { MAX_DIMENSION, PAGE_PATH, SCREENSHOTS_FOLDER, type Widget } from "@backplane/contract/viewer";

export type OpenerOptions = {
  /** The public address of the viewer. */
  viewerUrl: string;
  /** The public address of the workspaces. */
  baseUrl: string;
  /** `owner/name`; undefined: the workspace used last of those that a browser shows. */
  workspace: string | undefined;
  /** Undefined: there is no key that may open panels. */
  readApiKey: () => Promise<string | undefined>;
  fetch: typeof globalThis.fetch;
  /** How people call `backplane`. */
  command: string;
};

/** The tab's title. The next call finds the tab by it and loads the page again. */
const TAB_NAME = "Screenshot paste";
const USUAL_TITLE = "Paste a screenshot";

/** Opens the page in a panel of a workspace. If it cannot, says why; the address works in any browser. */
export function createWidgetOpener(options: OpenerOptions): (title: string | undefined) => Promise<Widget> {
  return async (title) => {
    const url = addressOf(options.viewerUrl, title);
    const widget = { url, title: title ?? USUAL_TITLE, folder: `${SCREENSHOTS_FOLDER}/`, maxDimension: MAX_DIMENSION };
    try {
      const workspace = await openIn(options, url);
      return { status: "opened", ...widget, workspace, reason: null };
    } catch (error) {
      if (!(error instanceof WorkspaceFault)) throw error;
      const reason = `${error.message.replace(/\.?$/, ".")} Or open the address in any browser on this machine.`;
      return { status: "not_opened", ...widget, workspace: null, reason };
    }
  };
}

function addressOf(viewerUrl: string, title: string | undefined): string {
  const query = title === undefined ? "" : `?${new URLSearchParams({ title })}`;
  return `${viewerUrl}${PAGE_PATH}${query}`;
}

async function openIn({ baseUrl, workspace, readApiKey, fetch, command }: OpenerOptions, url: string): Promise<string> {
  const apiKey = await readApiKey();
  if (apiKey === undefined) {
    throw new WorkspaceFault(`Backplane is not running here. Start it with: ${command} up`);
  }
  const calls = createWorkspaceCalls({ baseUrl, apiKey, fetch, command });
  const known = await calls.list();
  const named = known.find(({ owner, repo }) => `${owner}/${repo}` === workspace);
  const chosen = workspace === undefined ? known.find(({ browserConnected }) => browserConnected) : named;
  if (!chosen?.browserConnected) throw new WorkspaceFault(notShown(baseUrl, workspace, chosen ?? known[0]));
  await calls.openTab(chosen, {
    panelType: "webview",
    displayName: TAB_NAME,
    initialState: { url, headerHidden: true },
    reuse: true,
  });
  return `${chosen.owner}/${chosen.repo}`;
}

function notShown(baseUrl: string, wanted: string | undefined, known: ListedWorkspace | undefined): string {
  const name = wanted ?? (known ? `${known.owner}/${known.repo}` : undefined);
  if (name === undefined)
    return `There is no workspace yet. Open ${baseUrl} in a browser and create one, then try again.`;
  return `No browser shows the workspace ${name}. Open ${baseUrl}/w/${name}, then try again.`;
}

/** Why no panel could be opened, and the next step. */
class WorkspaceFault extends Error {
  override name = "WorkspaceFault";
}

export type ListedWorkspace = { owner: string; repo: string; browserConnected: boolean };

type Place = Pick<OpenerOptions, "baseUrl" | "fetch" | "command"> & { apiKey: string };

const ANSWER_WITHIN_MS = 5_000;

/** The two calls to the platform that opening a panel takes. */
function createWorkspaceCalls({ baseUrl, apiKey, fetch, command }: Place) {
  async function call(path: string, init: RequestInit): Promise<Response> {
    const response = await fetch(`${baseUrl}${path}`, {
      ...init,
      headers: { "x-api-key": apiKey, "content-type": "application/json" },
      redirect: "error",
      signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
    }).catch(() => {
      throw new WorkspaceFault(`The workspace does not answer at ${baseUrl}. Start it with: ${command} up`);
    });
    if (response.ok) return response;
    await response.body?.cancel();
    throw new WorkspaceFault(refusalOf(response.status, baseUrl));
  }

  return {
    async list(): Promise<ListedWorkspace[]> {
      const answer: unknown = await (await call("/api/workspaces", { method: "GET" })).json().catch(() => undefined);
      const { workspaces } = (answer ?? {}) as { workspaces?: unknown };
      if (!Array.isArray(workspaces)) throw new WorkspaceFault(`The server at ${baseUrl} is not a Backplane.`);
      return workspaces as ListedWorkspace[];
    },
    async openTab({ owner, repo }: ListedWorkspace, tab: object): Promise<void> {
      const workspace = `${encodeURIComponent(owner)}/${encodeURIComponent(repo)}`;
      const path = `/api/workspaces/editor/${workspace}/current/tabs`;
      await (await call(path, { method: "POST", body: JSON.stringify(tab) })).body?.cancel();
    },
  };
}

function refusalOf(status: number, baseUrl: string): string {
  if (status === 401 || status === 403) {
    return `This key may not open panels at ${baseUrl}. Set BACKPLANE_TOKEN to one with the scope panels.`;
  }
  return `${baseUrl} refused to open a panel (${status}).`;
}

/** Reads the key that opens panels: the given one, otherwise the owner's from Backplane's home on this machine. */
export const apiKeyReader =
  (home: string, given: string | undefined): (() => Promise<string | undefined>) =>
  async () => {
    if (given !== undefined) return given;
    try {
      const { api_key: key } = JSON.parse(await readFile(join(home, "owner.json"), "utf8")) as { api_key?: unknown };
      return typeof key === "string" ? key : undefined;
    } catch {
      return undefined;
    }
  };
