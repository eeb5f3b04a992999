import { typosBetween } from "@backplane/kit/typos";
import type { WorkspaceName } from "../calls.ts";

const MAX_TYPOS = 2;
const MAX_SHOWN = 3;

/** Workspaces whose name was perhaps meant, nearest first. */
export function similarNames<Name extends WorkspaceName>(meant: WorkspaceName, all: readonly Name[]): Name[] {
  const textOf = ({ owner, repo }: WorkspaceName) => `${owner}/${repo}`.toLowerCase();
  return all
    .map((name) => ({ name, typos: typosBetween(textOf(meant), textOf(name)) }))
    .filter(({ typos }) => typos <= MAX_TYPOS)
    .sort((a, b) => a.typos - b.typos)
    .slice(0, MAX_SHOWN)
    .map(({ name }) => name);
}
