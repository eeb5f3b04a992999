/** Why no panel could be opened, as a sentence with its next step. */
export class WorkspaceFault extends Error {
  override name = "WorkspaceFault";
}

export type ListedWorkspace = { owner: string; repo: string; browserConnected: boolean };

type Place = { baseUrl: string; apiKey: string; fetch: typeof globalThis.fetch };

const ANSWER_WITHIN_MS = 5_000;

/** The two calls of the panels' interface that opening a panel takes. */
export function createWorkspaceCalls({ baseUrl, apiKey, fetch }: Place) {
  async function call(path: string, init: RequestInit): Promise<Response> {
    const response = await fetch(`${baseUrl}${path}`, {
      ...init,
      headers: { "x-api-key": apiKey, "content-type": "application/json" },
      redirect: "error",
      signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
    }).catch(() => {
      throw new WorkspaceFault(`The workspace does not answer at ${baseUrl}. Start it with: backplane up`);
    });
    if (response.ok) return response;
    await response.body?.cancel();
    throw new WorkspaceFault(refusalOf(response.status, baseUrl));
  }

  return {
    async list(): Promise<ListedWorkspace[]> {
      const answer: unknown = await (await call("/api/workspaces", { method: "GET" })).json().catch(() => undefined);
      const { workspaces } = (answer ?? {}) as { workspaces?: unknown };
      if (!Array.isArray(workspaces)) throw new WorkspaceFault(`What answers at ${baseUrl} is no Backplane.`);
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
    return `${baseUrl} does not let this key open panels. Put one with the scope panels into BACKPLANE_TOKEN.`;
  }
  return `${baseUrl} refused to open a panel (${status}).`;
}
