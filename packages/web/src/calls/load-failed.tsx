import { Note } from "../parts/note.tsx";
import type { Fault } from "./call.ts";
import { faultWords } from "./fault-words.ts";

type Props = {
  /** What it means for the page: "Workspaces could not be loaded." */
  title: string;
  fault: Fault;
  onRetry: () => void;
};

/** Why something was not loaded, and the way to try again. */
export function LoadFailed({ title, fault, onRetry }: Props) {
  return (
    <Note tone="danger" role="alert">
      <strong>{title}</strong> {faultWords(fault)}{" "}
      <button className="link" type="button" onClick={onRetry}>
        Try again
      </button>
    </Note>
  );
}
