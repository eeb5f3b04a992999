import { type SubmitEvent, useRef, useState } from "react";
import { useAction } from "../calls/use-action.ts";
import { Button } from "../parts/button.tsx";
import { FaultNote } from "../parts/note.tsx";
import { type WorkspaceName, workspacePath } from "../workspace/calls.ts";
import { Dialog } from "../workspace/parts/dialog.tsx";
import { workspaceNameFault } from "./workspace-name.ts";
import { WorkspaceNameField } from "./workspace-name-field.tsx";

type Props = { workspace: WorkspaceName; onClose: () => void; onRenamed: () => Promise<void> };

export function RenameDialog({ workspace, onClose, onRenamed }: Props) {
  const [name, setName] = useState(workspace.repo);
  const [wrong, setWrong] = useState<string>();
  const field = useRef<HTMLInputElement>(null);
  const { busy, fault, act } = useAction();

  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const repo = name.trim();
    setWrong(workspaceNameFault(repo));
    if (workspaceNameFault(repo) !== undefined) return field.current?.focus();
    if (repo === workspace.repo) return onClose();
    void act({ method: "PATCH", path: workspacePath(workspace), body: { repo } }, onRenamed);
  };

  return (
    <Dialog label={`Rename ${workspace.repo}`} onClose={onClose}>
      <form onSubmit={submit} noValidate>
        <div className="dialog-body workspace-dialog">
          <WorkspaceNameField
            ref={field}
            value={name}
            onChange={setName}
            hint="Open pages follow. Programs and links that use the old name do not."
            fault={wrong}
          />
          <FaultNote>{fault}</FaultNote>
        </div>
        <div className="dialog-foot">
          <Button look="quiet" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" look="primary" busy={busy}>
            Rename
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
