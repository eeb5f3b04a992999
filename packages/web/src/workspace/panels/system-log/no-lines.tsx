import { Button } from "../../../parts/button.tsx";
import { CopyButton } from "../../../parts/copy-button.tsx";
import { Icon } from "../../../parts/icon.tsx";
import { writeCommand } from "./write-command.ts";

/** Nothing was written yet: how to write. */
export function NoLines({ origin, path }: { origin: string; path: string }) {
  const command = writeCommand(origin, path);
  return (
    <div className="panel-message">
      <Icon name="info" />
      <h3>No lines yet</h3>
      <p>What happens in this workspace stands here as it happens. A program writes a line with:</p>
      <div className="copy">
        <code className="prompted">{command}</code>
        <CopyButton text={command} />
      </div>
    </div>
  );
}

type Props = { hidden: number; onShowAll: () => void };

/** There are lines, but none that was asked for. */
export function NothingMatches({ hidden, onShowAll }: Props) {
  return (
    <div className="panel-message">
      <Icon name="search" />
      <h3>No line matches</h3>
      <p>
        {hidden} {hidden === 1 ? "line is" : "lines are"} hidden by the search, the source or the level.
      </p>
      <Button onClick={onShowAll}>Show all lines</Button>
    </div>
  );
}
