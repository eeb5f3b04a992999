/** Commands find a Backplane there without being told. */
const USUAL_ADDRESS = "http://localhost:8790";

/** The Backplane that a page is from: how its command is called, and its address. */
export type Place = { name: string; address: string };

/** "pkg publish" as a whole command, which works in a new terminal in any folder. */
export const commandAt = ({ name, address }: Place, words: string): string =>
  address === USUAL_ADDRESS ? `${name} ${words}` : `${name} ${words} --url ${address}`;

/** The same for the page that is open. Only on the machine of the server does the page know more than the usual name. */
export function terminalCommand(words: string): string {
  const named = document.querySelector<HTMLMetaElement>('meta[name="backplane-command"]');
  return commandAt({ name: named?.content || "backplane", address: location.origin }, words);
}
