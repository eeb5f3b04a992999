import type { User } from "@backplane/contract/accounts";
import { MAX_REPO_LENGTH } from "@backplane/contract/panels";
import { type SubmitEvent, useRef, useState } from "react";
import { FormButtons } from "../parts/button.tsx";
import { Field } from "../parts/field.tsx";
import { OwnerSelect } from "../parts/owner-select.tsx";
import { workspaceAddress } from "../workspace/calls.ts";
import { workspaceNameFault } from "./workspace-name.ts";

type Props = { user: User; onCancel: () => void };

/** Opening a workspace for the first time creates it, so the form only goes there. */
export function NewWorkspaceForm({ user, onCancel }: Props) {
  const [owner, setOwner] = useState(user.name);
  const [name, setName] = useState("");
  const [fault, setFault] = useState<string>();
  const field = useRef<HTMLInputElement>(null);

  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const wrong = workspaceNameFault(name.trim());
    setFault(wrong);
    if (wrong !== undefined) return field.current?.focus();
    window.location.assign(workspaceAddress({ owner, repo: name.trim() }));
  };

  return (
    <form className="card new-workspace" aria-label="New workspace" onSubmit={submit} noValidate>
      <OwnerSelect user={user} owner={owner} onChoose={setOwner} />
      <Field
        ref={field}
        label="Name"
        name="workspace"
        value={name}
        onChange={setName}
        onLeave={() => name !== "" && setFault(workspaceNameFault(name.trim()))}
        hint="Letters, digits, dots, dashes and underscores, such as rover-mainboard."
        fault={fault}
        maxLength={MAX_REPO_LENGTH}
        autoFocus
      />
      <FormButtons submit="Create workspace" onCancel={onCancel} />
    </form>
  );
}
