import { type SubmitEvent, useRef, useState } from "react";
import type { Call } from "../calls/call.ts";
import { useAction } from "../calls/use-action.ts";
import { Button } from "../parts/button.tsx";
import { FaultNote } from "../parts/note.tsx";
import { type WorkspaceName, workspacePath } from "../workspace/calls.ts";
import { Dialog } from "../workspace/parts/dialog.tsx";
import { copyName, workspaceNameFault } from "./workspace-name.ts";
import { WorkspaceNameField } from "./workspace-name-field.tsx";

type Props = { workspace: WorkspaceName; onClose: () => void; onDone: () => Promise<void> };

export const RenameDialog = (props: Props) => (
  <NameDialog
    {...props}
    verb="Rename"
    hint="Open pages follow. Programs and links that use the old name do not."
    proposed={props.workspace.repo}
    callFor={(repo) => ({ method: "PATCH", path: workspacePath(props.workspace), body: { repo } })}
  />
);

/** `owner`: who gets the copy. */
export const DuplicateDialog = ({ owner, ...props }: Props & { owner: string }) => (
  <NameDialog
    {...props}
    verb="Duplicate"
    hint="The copy has the same panels with the same settings. Files, screenshots and the log are not copied."
    proposed={copyName(props.workspace.repo)}
    callFor={(repo) => ({
      ...{ method: "POST", path: "/api/workspaces" },
      body: { owner, repo, layoutOf: { owner: props.workspace.owner, repo: props.workspace.repo } },
    })}
  />
);

type NameProps = Props & {
  verb: "Rename" | "Duplicate";
  hint: string;
  proposed: string;
  callFor: (repo: string) => Call;
};

/** Asks for a name, and does something with it. */
function NameDialog({ workspace, verb, hint, proposed, callFor, onClose, onDone }: NameProps) {
  const [name, setName] = useState(proposed);
  const [wrong, setWrong] = useState<string>();
  const field = useRef<HTMLInputElement>(null);
  const { busy, fault, act } = useAction();

  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const repo = name.trim();
    setWrong(workspaceNameFault(repo));
    if (workspaceNameFault(repo) !== undefined) return field.current?.focus();
    if (repo === workspace.repo) return onClose();
    void act(callFor(repo), onDone);
  };

  return (
    <Dialog label={`${verb} ${workspace.repo}`} onClose={onClose}>
      <form onSubmit={submit} noValidate>
        <div className="dialog-head">
          <h2 className="anywhere">
            {verb} {workspace.repo}
          </h2>
        </div>
        <div className="dialog-body workspace-dialog">
          <WorkspaceNameField ref={field} value={name} onChange={setName} hint={hint} fault={wrong} />
          <FaultNote>{fault}</FaultNote>
        </div>
        <div className="dialog-foot">
          <Button look="quiet" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" look="primary" busy={busy}>
            {verb}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
