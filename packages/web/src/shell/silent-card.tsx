import type { Fault } from "../calls/call.ts";
import { faultWords } from "../calls/fault-words.ts";
import { Button } from "../parts/button.tsx";
import { OutcomeCard } from "./outcome-card.tsx";

type Props = {
  name: string;
  /** What the server said, if it said something. */
  fault?: Fault | undefined;
  retry: () => void;
};

/** For a card that cannot be shown before the server answers. */
export function SilentCard({ name, fault, retry }: Props) {
  const refused = fault !== undefined && fault.status !== 0;
  return (
    <OutcomeCard
      name={name}
      title={refused ? "This cannot be shown now" : "Backplane does not answer"}
      icon="warning"
      tone="warn"
      line={
        refused
          ? faultWords(fault)
          : "Nothing was sent. Check that Backplane runs and that you are connected, then try again."
      }
    >
      <div className="sect tight">
        <Button onClick={retry}>Try again</Button>
      </div>
    </OutcomeCard>
  );
}
