/** As the contract has it; a test compares. */
export const WORKSPACE_NAME = /^[a-zA-Z0-9_](?:[a-zA-Z0-9._-]{0,98}[a-zA-Z0-9_-])?$/;
export const MAX_WORKSPACE_NAME_LENGTH = 100;

export function workspaceNameFault(name: string): string | undefined {
  return WORKSPACE_NAME.test(name)
    ? undefined
    : "Use 1 to 100 letters, digits, dots, dashes and underscores, such as rover-mainboard. Begin with a letter, a digit or an underscore, and do not end with a dot.";
}
