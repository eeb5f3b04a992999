import type { DetailedVersion } from "@backplane/contract/registry";
import { State } from "../../parts/state.tsx";
import { sentenceCase } from "../words.ts";

/** Whether a version works with the chosen tool, and why it is or is not the one to install. */
export function WorksHere({ version: { works, chosen, because } }: { version: DetailedVersion }) {
  if (works === undefined) return null;
  return (
    <>
      <State tone={works ? "ok" : "off"} word={chosen ? "Yes, preferred" : works ? "Yes" : "No"} />
      {because && !chosen && <small>{sentenceCase(because)}</small>}
    </>
  );
}
