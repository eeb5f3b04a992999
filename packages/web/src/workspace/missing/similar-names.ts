import { typosBetween } from "@backplane/kit/typos";
import type { WorkspaceName } from "../calls.ts";

const MAX_TYPOS = 2;
const MAX_SHOWN = 3;

const textOf = ({ owner, repo }: WorkspaceName) => `${owner}/${repo}`.toLowerCase();

/** The workspace that had the name when it was created. */
export function renamedFrom<Name extends WorkspaceName & { firstRepo?: string }>(
  meant: WorkspaceName,
  all: readonly Name[],
): Name | undefined {
  return all.find(({ owner, firstRepo: repo }) => repo !== undefined && textOf({ owner, repo }) === textOf(meant));
}

/** Workspaces whose name was perhaps meant, nearest first. */
export function similarNames<Name extends WorkspaceName>(meant: WorkspaceName, all: readonly Name[]): Name[] {
  return all
    .map((name) => ({ name, typos: typosBetween(textOf(meant), textOf(name)) }))
    .filter(({ typos }) => typos <= MAX_TYPOS)
    .sort((a, b) => a.typos - b.typos)
    .slice(0, MAX_SHOWN)
    .map(({ name }) => name);
}
