import { MAX_NAME_LENGTH, type Organisation } from "@backplane/contract/accounts";
import { type SubmitEvent, useRef, useState } from "react";
import { checkField } from "../join/account-form.ts";
import { Button } from "../parts/button.tsx";
import { Field } from "../parts/field.tsx";
import { useAction } from "./use-action.ts";

type Props = { onMade: () => void; onCancel: () => void };

export function NewOrganisationForm({ onMade, onCancel }: Props) {
  const [name, setName] = useState("");
  const field = useRef<HTMLInputElement>(null);
  const { busy, fault, setFault, act } = useAction();

  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const wrong = checkField("name", name.trim());
    if (wrong !== undefined) {
      setFault(wrong);
      return field.current?.focus();
    }
    void act<Organisation>({ method: "POST", path: "/auth/organisations", body: { name: name.trim() } }, onMade);
  };

  return (
    <form className="part-form" onSubmit={submit} noValidate>
      <Field
        ref={field}
        label="Name"
        name="organisation"
        value={name}
        onChange={setName}
        hint="Packages and workspaces go by it, such as fieldworks. It cannot be that of a person here."
        fault={fault}
        maxLength={MAX_NAME_LENGTH}
        autoFocus
      />
      <div className="row">
        <Button type="submit" look="primary" busy={busy}>
          Make the organisation
        </Button>
        <Button look="quiet" onClick={onCancel}>
          Cancel
        </Button>
      </div>
    </form>
  );
}
