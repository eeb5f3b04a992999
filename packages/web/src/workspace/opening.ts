import { OPENING_ID, type Opening } from "@backplane/contract/panels";

/** What the server wrote into the document; undefined: the page asks for it. */
export function readOpening(): Opening | undefined {
  const text = document.getElementById(OPENING_ID)?.textContent;
  return text ? JSON.parse(text) : undefined;
}
