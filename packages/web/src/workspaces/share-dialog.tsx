import { MAX_NAME_LENGTH } from "@backplane/contract/accounts";
import type { SharedPeople } from "@backplane/contract/panels";
import { type SubmitEvent, useRef, useState } from "react";
import { LoadFailed } from "../calls/load-failed.tsx";
import { useAction } from "../calls/use-action.ts";
import { useResource } from "../calls/use-resource.ts";
import { Button } from "../parts/button.tsx";
import { Field } from "../parts/field.tsx";
import { FaultNote } from "../parts/note.tsx";
import { type WorkspaceName, workspacePath } from "../workspace/calls.ts";
import { Dialog } from "../workspace/parts/dialog.tsx";

type Props = { workspace: WorkspaceName; onClose: () => void };

/** With whom a workspace is shared. */
export function ShareDialog({ workspace, onClose }: Props) {
  const path = `${workspacePath(workspace)}/people`;
  const { value, fault, reload } = useResource<SharedPeople>(path);
  return (
    <Dialog label={`Share ${workspace.repo}`} onClose={onClose}>
      <div className="dialog-head">
        <div>
          <h2>Share {workspace.repo}</h2>
          <p className="dense muted">They can do everything in it except rename, share or delete it.</p>
        </div>
      </div>
      <InviteForm path={path} onInvited={reload} />
      {fault && <LoadFailed title="The people could not be loaded." fault={fault} onRetry={reload} />}
      <ul className="shared-people" aria-label="Shared with">
        <li>
          <span className="grow">{workspace.owner}</span>
          <span className="muted">Owner</span>
        </li>
        {value?.people.map((person) => (
          <PersonRow key={person.name} path={path} person={person} onRemoved={reload} />
        ))}
      </ul>
      <div className="dialog-foot share-foot">
        <span className="small muted grow">Changes take effect at once.</span>
        <Button onClick={onClose}>Done</Button>
      </div>
    </Dialog>
  );
}

const personPath = (path: string, name: string): string => `${path}/${encodeURIComponent(name)}`;

function InviteForm({ path, onInvited }: { path: string; onInvited: () => Promise<void> }) {
  const [name, setName] = useState("");
  const field = useRef<HTMLInputElement>(null);
  const { busy, fault, act } = useAction();

  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (name.trim() === "") return field.current?.focus();
    void act({ method: "PUT", path: personPath(path, name.trim()) }, async () => {
      setName("");
      await onInvited();
    });
  };

  return (
    <form className="dialog-body workspace-dialog" onSubmit={submit} noValidate>
      <Field
        ref={field}
        label="Add a person"
        name="person"
        value={name}
        onChange={setName}
        hint="The name of their account. They see the invitation in their list of workspaces."
        maxLength={MAX_NAME_LENGTH}
        end={
          <Button type="submit" size="small" look="primary" busy={busy}>
            Invite
          </Button>
        }
        autoFocus
      />
      <FaultNote>{fault}</FaultNote>
    </form>
  );
}

type PersonProps = { path: string; person: SharedPeople["people"][number]; onRemoved: () => Promise<void> };

function PersonRow({ path, person: { name, accepted }, onRemoved }: PersonProps) {
  const { busy, fault, act } = useAction();
  return (
    <li>
      <span className="grow">
        {name} {!accepted && <span className="badge">invited</span>}
        <FaultNote>{fault}</FaultNote>
      </span>
      <Button
        size="small"
        label={`Remove ${name}`}
        busy={busy}
        onClick={() => void act({ method: "DELETE", path: personPath(path, name) }, onRemoved)}
      >
        Remove
      </Button>
    </li>
  );
}
