import { useState } from "react";
import { useAction } from "../../../calls/use-action.ts";
import { Button } from "../../../parts/button.tsx";
import { FaultNote } from "../../../parts/note.tsx";

type Props = {
  /** What it removes, for those who do not see the row. */
  label: string;
  words: string;
  path: string;
  onDone: () => Promise<void>;
};

/** Removes what a device connects by, after a second press. */
export function DisconnectButton({ label, words, path, onDone }: Props) {
  const { busy, fault, act } = useAction();
  const [isAsking, setAsking] = useState(false);
  if (fault !== undefined) return <FaultNote>{fault}</FaultNote>;
  if (!isAsking) {
    return (
      <Button size="small" look="quiet" label={label} onClick={() => setAsking(true)}>
        {words}
      </Button>
    );
  }
  return (
    <span className="row">
      <Button size="small" look="danger" busy={busy} onClick={() => void act({ method: "DELETE", path }, onDone)}>
        Disconnect it
      </Button>
      <Button size="small" look="quiet" onClick={() => setAsking(false)}>
        Cancel
      </Button>
    </span>
  );
}
