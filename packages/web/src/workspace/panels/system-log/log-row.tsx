import type { LogEntry } from "@backplane/contract/panels";
import { timeOf } from "./lines.ts";

type Props = {
  id: string;
  line: LogEntry;
  /** Counted from one, of how many: the rest is not drawn. */
  place: number;
  of: number;
  isChosen: boolean;
  onChoose: () => void;
};

export function LogRow({ id, line, place, of, isChosen, onChoose }: Props) {
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: the list has the focus and names its active row
    // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are the list's
    <div
      id={id}
      className={`log-row ${line.level}`}
      role="option"
      aria-selected={isChosen}
      aria-setsize={of}
      aria-posinset={place}
      onClick={onChoose}
    >
      <span className="log-time">{timeOf(line)}</span>
      <span className="log-level">{line.level}</span>
      <span className="log-source">{line.source}</span>
      <span className="log-message">{line.message}</span>
    </div>
  );
}
