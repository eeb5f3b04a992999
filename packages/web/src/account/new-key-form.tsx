import { API_KEY_LIMITS, type NewApiKey, type Scope } from "@backplane/contract/accounts";
import { type SubmitEvent, useRef, useState } from "react";
import { Button } from "../parts/button.tsx";
import { FaultLine, Field } from "../parts/field.tsx";
import { Note } from "../parts/note.tsx";
import { useAction } from "./use-action.ts";

const scopeWords: Record<Scope, string> = {
  read: "Read packages, workspaces and your account",
  publish: "Publish packages",
  panels: "Open and drive panels",
};

const SCOPES = Object.keys(scopeWords) as Scope[];

type Props = { onMade: (key: NewApiKey) => void; onCancel: () => void };

export function NewKeyForm({ onMade, onCancel }: Props) {
  const [name, setName] = useState("");
  const [scopes, setScopes] = useState<Scope[]>(["read"]);
  const [missing, setMissing] = useState<{ name?: string; scopes?: string }>({});
  const nameField = useRef<HTMLInputElement>(null);
  const { busy, fault, act } = useAction();

  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const found = {
      ...(name.trim() === "" ? { name: "Name it by what uses it, such as ci-publisher." } : {}),
      ...(scopes.length === 0 ? { scopes: "Choose at least one thing that it may do." } : {}),
    };
    setMissing(found);
    if (found.name) nameField.current?.focus();
    if (Object.keys(found).length > 0) return;
    void act<NewApiKey>({ method: "POST", path: "/auth/api-keys", body: { name: name.trim(), scopes } }, onMade);
  };

  const toggle = (scope: Scope, on: boolean) =>
    setScopes((before) => SCOPES.filter((one) => (one === scope ? on : before.includes(one))));

  return (
    <form className="part-form" onSubmit={submit} noValidate>
      <Field
        ref={nameField}
        label="Name"
        name="key-name"
        value={name}
        onChange={setName}
        hint="What uses it, so that you know later which one to revoke."
        fault={missing.name}
        maxLength={API_KEY_LIMITS.maxNameLength}
        autoFocus
      />
      <fieldset className="choices">
        <legend>May</legend>
        {SCOPES.map((scope) => (
          <label className="check dense" key={scope}>
            <input
              type="checkbox"
              checked={scopes.includes(scope)}
              onChange={(event) => toggle(scope, event.target.checked)}
            />
            <span>
              {scopeWords[scope]} <code className="muted">{scope}</code>
            </span>
          </label>
        ))}
        {missing.scopes !== undefined && <FaultLine>{missing.scopes}</FaultLine>}
      </fieldset>
      {fault !== undefined && (
        <Note tone="danger" role="alert">
          {fault}
        </Note>
      )}
      <div className="row">
        <Button type="submit" look="primary" busy={busy}>
          Make the key
        </Button>
        <Button look="quiet" onClick={onCancel}>
          Cancel
        </Button>
      </div>
    </form>
  );
}
