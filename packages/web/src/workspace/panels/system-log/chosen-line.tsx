import type { LogEntry } from "@backplane/contract/panels";
import { CopyButton } from "../../../parts/copy-button.tsx";
import { textOf, timeOf } from "./lines.ts";

/** The whole of a line that its row has no room for. */
export function ChosenLine({ line, onClose }: { line: LogEntry; onClose: () => void }) {
  return (
    <section className="log-chosen" aria-label="Chosen line">
      <p>
        <span className="muted">
          <time dateTime={line.at}>
            {new Date(line.at).toLocaleDateString()} {timeOf(line)}
          </time>{" "}
          {line.level} {line.source}
        </span>
        <span className="log-whole">{line.message}</span>
      </p>
      <CopyButton text={textOf(line)} />
      <button className="icon-btn small" type="button" aria-label="Close line" onClick={onClose}>
        <svg className="i" viewBox="0 0 16 16" aria-hidden="true">
          <path d="M4 4l8 8M12 4l-8 8" />
        </svg>
      </button>
    </section>
  );
}
