import { Button } from "../parts/button.tsx";
import { CopyButton } from "../parts/copy-button.tsx";
import type { WorkspaceName } from "./calls.ts";
import { PanelIcon } from "./catalog/panel-icons.tsx";
import { isMac } from "./dock/use-shortcuts.ts";

/** What to do first. */
export function EmptyWorkspace({ workspace, onAdd }: { workspace: WorkspaceName; onAdd: () => void }) {
  const command = `backplane panel open webview --workspace ${workspace.owner}/${workspace.repo} --address https://example.org`;
  return (
    <div className="empty-workspace">
      <PanelIcon name="terminal" />
      <h2>No panels yet</h2>
      <p>Add the first one: a web view, an editor, a sandbox for code.</p>
      <Button look="primary" icon="plus" onClick={onAdd}>
        Add panel
      </Button>
      <p className="small">
        or press <kbd>{isMac() ? "⌘" : "Ctrl"}</kbd> <kbd>K</kbd>
      </p>
      <p className="empty-program">A program opens one as well:</p>
      <div className="copy">
        <code className="prompted">{command}</code>
        <CopyButton text={command} />
      </div>
    </div>
  );
}
