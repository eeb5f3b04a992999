import { MAX_NAME_LENGTH } from "@backplane/contract/accounts";
import { type SubmitEvent, useRef, useState } from "react";
import { Button } from "../parts/button.tsx";
import { Field } from "../parts/field.tsx";
import { useAction } from "./use-action.ts";

/** Takes somebody who has an account here into the organisation. */
export function AddMemberForm({ path, onAdded }: { path: string; onAdded: () => Promise<void> }) {
  const [name, setName] = useState("");
  const field = useRef<HTMLInputElement>(null);
  const { busy, fault, setFault, act } = useAction();

  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const wanted = name.trim();
    if (wanted === "") {
      setFault("Type the name of somebody who has an account here, such as ada.");
      return field.current?.focus();
    }
    const member = `${path}/members/${encodeURIComponent(wanted)}`;
    void act({ method: "PUT", path: member, body: { role: "member" } }, async () => {
      setName("");
      await onAdded();
      field.current?.focus();
    });
  };

  return (
    <form className="part-form with-button" onSubmit={submit} noValidate>
      <Field
        ref={field}
        label="Add a member"
        name="member"
        value={name}
        onChange={setName}
        hint="The name of somebody who has an account here."
        fault={fault}
        maxLength={MAX_NAME_LENGTH}
      />
      <Button type="submit" busy={busy}>
        Add
      </Button>
    </form>
  );
}
