import { Button } from "../../parts/button.tsx";
import { Dialog } from "./dialog.tsx";
import { shortcutLines } from "./shortcuts.ts";
import { isMac } from "./use-shortcuts.ts";

export function ShortcutsDialog({ onClose }: { onClose: () => void }) {
  return (
    <Dialog label="Keyboard shortcuts" className="shortcuts" onClose={onClose}>
      <div className="dialog-head">
        <h2>Keyboard shortcuts</h2>
        <Button size="small" onClick={onClose}>
          Close
        </Button>
      </div>
      <dl className="dialog-body">
        {shortcutLines(isMac()).map(({ keys, what }) => (
          <div key={what}>
            <dt>{what}</dt>
            <dd>
              {keys.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
      <p className="dialog-foot small muted">
        A page inside a panel keeps the keys that are typed in it. Click a tab to come back.
      </p>
    </Dialog>
  );
}
