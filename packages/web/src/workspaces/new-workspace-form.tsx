import type { User } from "@backplane/contract/accounts";
import { type SubmitEvent, useRef, useState } from "react";
import { useAction } from "../calls/use-action.ts";
import { FormButtons } from "../parts/button.tsx";
import { FaultNote, Note } from "../parts/note.tsx";
import { OwnerSelect } from "../parts/owner-select.tsx";
import { type WorkspaceName, workspaceAddress } from "../workspace/calls.ts";
import { workspaceNameFault } from "./workspace-name.ts";
import { WorkspaceNameField } from "./workspace-name-field.tsx";

type Props = { user: User; onCancel: () => void };

/** Creates a workspace and goes there. One that exists is not opened unasked: its name may be mistyped. */
export function NewWorkspaceForm({ user, onCancel }: Props) {
  const [owner, setOwner] = useState(user.name);
  const [name, setName] = useState("");
  const [fault, setFault] = useState<string>();
  const [taken, setTaken] = useState<WorkspaceName>();
  const { busy, fault: refusal, act } = useAction();
  const field = useRef<HTMLInputElement>(null);

  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const wrong = workspaceNameFault(name.trim());
    setFault(wrong);
    if (wrong !== undefined) return field.current?.focus();
    const workspace = { owner, repo: name.trim() };
    setTaken(undefined);
    void act<WorkspaceName>(
      { method: "POST", path: "/api/workspaces", body: workspace },
      (created) => window.location.assign(workspaceAddress(created)),
      { "name-taken": () => setTaken(workspace) },
    );
  };

  return (
    <form className="card new-workspace" aria-label="New workspace" onSubmit={submit} noValidate>
      <OwnerSelect user={user} owner={owner} onChoose={setOwner} />
      <WorkspaceNameField
        ref={field}
        value={name}
        onChange={setName}
        onLeave={() => name !== "" && setFault(workspaceNameFault(name.trim()))}
        hint="Letters, digits, dots, dashes and underscores, such as rover-mainboard."
        fault={fault}
      />
      <FaultNote>{refusal}</FaultNote>
      {taken && (
        <Note role="alert">
          {taken.owner}/{taken.repo} exists already. <a href={workspaceAddress(taken)}>Open it</a>, or choose another
          name.
        </Note>
      )}
      <FormButtons submit="Create workspace" busy={busy} onCancel={onCancel} />
    </form>
  );
}
