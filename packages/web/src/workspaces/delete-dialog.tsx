import type { FileList, WorkspaceSummary } from "@backplane/contract/panels";
import { type SubmitEvent, useState } from "react";
import { useAction } from "../calls/use-action.ts";
import { useResource } from "../calls/use-resource.ts";
import { sizeWords } from "../packages/words.ts";
import { Button } from "../parts/button.tsx";
import { Field } from "../parts/field.tsx";
import { FaultNote } from "../parts/note.tsx";
import { counted } from "../parts/words.ts";
import { workspacePath, workspaceRoute } from "../workspace/calls.ts";
import { Dialog } from "../workspace/parts/dialog.tsx";

type Props = { workspace: WorkspaceSummary; onClose: () => void; onDeleted: () => Promise<void> };

/** Says what goes, and asks for the name. */
export function DeleteDialog({ workspace, onClose, onDeleted }: Props) {
  const { repo, tabs, browserConnected } = workspace;
  const { value: list } = useResource<FileList>(workspaceRoute(workspace, "/files"));
  const [typed, setTyped] = useState("");
  const { busy, fault, act } = useAction();
  const isSure = typed.trim() === repo;

  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (isSure) void act({ method: "DELETE", path: `${workspacePath(workspace)}?files=true` }, onDeleted);
  };

  return (
    <Dialog label={`Delete ${repo}?`} onClose={onClose}>
      <form onSubmit={submit} noValidate>
        <div className="dialog-head">
          <div>
            <h2>Delete {repo}?</h2>
            {browserConnected && <p className="dense muted">A browser has it open now, and will be disconnected.</p>}
          </div>
        </div>
        <div className="dialog-body workspace-dialog">
          <dl className="facts">
            <dt>Goes</dt>
            <dd>
              {counted(tabs, "panel")}, its log, {list ? filesWords(list) : "its files"}
            </dd>
            <dt>Stays</dt>
            <dd>published packages</dd>
            <dt>Undo</dt>
            <dd>not possible</dd>
          </dl>
          <Field label="Type the name to delete it" name="workspace" value={typed} onChange={setTyped} autoFocus />
          <FaultNote>{fault}</FaultNote>
        </div>
        <div className="dialog-foot">
          <Button look="quiet" onClick={onClose}>
            Keep it
          </Button>
          <Button type="submit" look="danger" disabled={!isSure} busy={busy}>
            Delete {repo}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

/** 31 files (1.2 MB), screenshots included. */
function filesWords({ files, truncated }: FileList): string {
  if (files.length === 0) return "no files";
  const size = sizeWords(files.reduce((sum, file) => sum + file.size, 0));
  return truncated ? `more than ${counted(files.length, "file")}` : `${counted(files.length, "file")} (${size})`;
}
