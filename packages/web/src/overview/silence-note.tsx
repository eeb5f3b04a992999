import { Note } from "../parts/note.tsx";
import type { Heard } from "./use-overview.ts";

/** Says that the platform is silent and what to do. The region is always there, so that its words are read out. */
export function SilenceNote({ heard: { silent, overview } }: { heard: Heard }) {
  return (
    <div className="silence" role="status">
      {silent && (
        <Note tone="danger">
          <strong>The platform does not answer.</strong> Look at the terminal that runs Backplane; if it has ended,
          start it again. {overview ? "Below is what was heard last. " : ""}This page asks every 2 s and goes on by
          itself.
        </Note>
      )}
    </div>
  );
}
