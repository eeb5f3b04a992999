import type { User } from "@backplane/contract/accounts";
import { MAX_REPO_LENGTH } from "@backplane/contract/panels";
import { type SubmitEvent, useId, useRef, useState } from "react";
import { Button } from "../parts/button.tsx";
import { Field } from "../parts/field.tsx";
import { workspaceAddress } from "../workspace/calls.ts";
import { workspaceNameFault } from "./workspace-name.ts";

type Props = { user: User; onCancel: () => void };

/** A workspace is made by its first use: the form leads there. */
export function NewWorkspaceForm({ user, onCancel }: Props) {
  const id = useId();
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
      {user.organisations.length > 0 && (
        <div className="field">
          <label htmlFor={id}>Owner</label>
          <select id={id} className="select" value={owner} onChange={(event) => setOwner(event.target.value)}>
            <option value={user.name}>{user.name}, you</option>
            {user.organisations.map((organisation) => (
              <option key={organisation.name} value={organisation.name}>
                {organisation.name}
              </option>
            ))}
          </select>
        </div>
      )}
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
      <div className="row">
        <Button type="submit" look="primary">
          Make the workspace
        </Button>
        <Button look="quiet" onClick={onCancel}>
          Cancel
        </Button>
      </div>
    </form>
  );
}
