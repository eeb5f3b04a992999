import { Note } from "../parts/note.tsx";
import type { Heard } from "./use-overview.ts";
import { inHome } from "./words.ts";

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
      {!silent && overview?.processes.some(({ state }) => state !== "running") && (
        <Note>
          <strong>A process that ends is restarted by itself, a gateway also when it hangs.</strong> If one stays down,
          the terminal that runs Backplane says why; more is in{" "}
          <code>{overview.home === undefined ? "logs/" : inHome(overview.home, "logs/")}</code>.
        </Note>
      )}
    </div>
  );
}
