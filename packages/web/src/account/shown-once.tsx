import type { ReactNode } from "react";
import { Button } from "../parts/button.tsx";
import { CopyButton } from "../parts/copy-button.tsx";
import type { IconName } from "../parts/icon.tsx";
import { Note } from "../parts/note.tsx";

type Props = { icon: IconName; children: ReactNode; secret: string; onHide: () => void };

/** A secret that is shown now and never again. */
export function ShownOnce({ icon, children, secret, onHide }: Props) {
  return (
    <div className="part-note">
      <Note tone="ok" icon={icon} role="status">
        <div className="shown-once-head">
          <p>{children}</p>
          <Button size="small" look="quiet" onClick={onHide}>
            Hide
          </Button>
        </div>
        <div className="copy">
          <code>{secret}</code>
          <CopyButton text={secret} />
        </div>
      </Note>
    </div>
  );
}
