import { MAX_REPO_LENGTH, REPO_PATTERN } from "@backplane/contract/panels";

const WORKSPACE_NAME = new RegExp(REPO_PATTERN);

export function workspaceNameFault(name: string): string | undefined {
  return WORKSPACE_NAME.test(name)
    ? undefined
    : `Use 1 to ${MAX_REPO_LENGTH} letters, digits, dots, dashes and underscores, such as rover-mainboard. Begin with a letter, a digit or an underscore, and do not end with a dot.`;
}
