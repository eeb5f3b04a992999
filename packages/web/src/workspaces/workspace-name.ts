import { MAX_REPO_LENGTH, REPO_PATTERN } from "@backplane/contract/panels";

const WORKSPACE_NAME = new RegExp(REPO_PATTERN);

export function workspaceNameFault(name: string): string | undefined {
  return WORKSPACE_NAME.test(name)
    ? undefined
    : `Use 1 to ${MAX_REPO_LENGTH} letters, digits, dots, dashes and underscores, such as rover-mainboard. Begin with a letter, a digit or an underscore, and do not end with a dot.`;
}

/** A name for a copy. */
export const copyName = (repo: string): string => {
  const ending = "-copy";
  return `${repo.slice(0, MAX_REPO_LENGTH - ending.length)}${ending}`;
};

type Named = { readonly owner: string; readonly repo: string };

/** Those whose owner and name have every word of the search. */
export function searchWorkspaces<Workspace extends Named>(
  workspaces: readonly Workspace[],
  search: string,
): readonly Workspace[] {
  const words = search.toLowerCase().split(/\s+/);
  return workspaces.filter(({ owner, repo }) => {
    const name = `${owner}/${repo}`.toLowerCase();
    return words.every((word) => name.includes(word));
  });
}

/** "6 that you may open, 2 with somebody in them now" */
export function summaryOf(workspaces: readonly { readonly browserConnected: boolean }[]): string {
  const used = workspaces.filter(({ browserConnected }) => browserConnected).length;
  const which = (count: number) => (count === 1 ? "it" : "them");
  const now = used === 0 ? `nobody in ${which(workspaces.length)} now` : `${used} with somebody in ${which(used)} now`;
  return `${workspaces.length} that you may open, ${now}`;
}
