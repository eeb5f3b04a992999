/** Commands find a Backplane there without being told. */
const USUAL_ADDRESS = "http://localhost:8790";

/** The Backplane that a page is from: how its command is called, and its address. */
export type Place = { name: string; address: string };

/** "pkg publish" as a whole command, which works in a new terminal in any folder. */
export const commandAt = ({ name, address }: Place, words: string): string =>
  address === USUAL_ADDRESS ? `${name} ${words}` : `${name} ${words} --url ${address}`;

/** How the command is called. Only on the machine of the server does the page know more than the usual name. */
export const terminalName = (): string =>
  document.querySelector<HTMLMetaElement>('meta[name="backplane-command"]')?.content || "backplane";

/** A whole command for the page that is open. */
export const terminalCommand = (words: string): string =>
  commandAt({ name: terminalName(), address: location.origin }, words);
