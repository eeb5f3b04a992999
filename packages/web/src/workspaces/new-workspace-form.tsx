import type { User } from "@backplane/contract/accounts";
import { type SubmitEvent, useRef, useState } from "react";
import { useAction } from "../calls/use-action.ts";
import { FormButtons } from "../parts/button.tsx";
import { FaultNote } from "../parts/note.tsx";
import { OwnerSelect } from "../parts/owner-select.tsx";
import { workspaceAddress, workspaceRoute } from "../workspace/calls.ts";
import { workspaceNameFault } from "./workspace-name.ts";
import { WorkspaceNameField } from "./workspace-name-field.tsx";

type Props = { user: User; onCancel: () => void };

/** The first use of a workspace creates it; then the form goes there. */
export function NewWorkspaceForm({ user, onCancel }: Props) {
  const [owner, setOwner] = useState(user.name);
  const [name, setName] = useState("");
  const [fault, setFault] = useState<string>();
  const { busy, fault: refusal, act } = useAction();
  const field = useRef<HTMLInputElement>(null);

  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const wrong = workspaceNameFault(name.trim());
    setFault(wrong);
    if (wrong !== undefined) return field.current?.focus();
    const workspace = { owner, repo: name.trim() };
    void act({ method: "GET", path: workspaceRoute(workspace, "") }, () =>
      window.location.assign(workspaceAddress(workspace)),
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
      <FormButtons submit="Create workspace" busy={busy} onCancel={onCancel} />
    </form>
  );
}
