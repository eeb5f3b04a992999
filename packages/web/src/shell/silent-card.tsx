import { Button } from "../parts/button.tsx";
import { OutcomeCard } from "./outcome-card.tsx";

/** For a card that cannot be shown before the server answers. */
export function SilentCard({ name, retry, busy = false }: { name: string; retry: () => void; busy?: boolean }) {
  return (
    <OutcomeCard
      name={name}
      title="Backplane does not answer"
      icon="warning"
      tone="warn"
      line="Nothing was sent. Check that Backplane runs and that you are connected, then try again."
    >
      <div className="sect tight">
        <Button onClick={retry} busy={busy}>
          Try again
        </Button>
      </div>
    </OutcomeCard>
  );
}
