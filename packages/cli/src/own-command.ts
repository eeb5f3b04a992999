/**
 * A text with every `backplane` command in it as it works in a new terminal. The executable that was started knows how: in a
 * clone it is a path. Only the environment decides, not .env: a folder must not choose what people paste.
 */
export function inOwnWords({ BACKPLANE_COMMAND: own }: NodeJS.ProcessEnv, text: string): string {
  const name = own?.trim();
  return name ? text.replace(/(?<![\w./-])backplane (?=[a-z])/g, () => `${name} `) : text;
}
