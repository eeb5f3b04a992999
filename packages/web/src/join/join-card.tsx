import { MIN_PASSWORD_LENGTH } from "@backplane/contract/accounts";
import { type SubmitEvent, useRef, useState } from "react";
import { Link } from "react-router";
import { call, type Fault } from "../calls/call.ts";
import { useWork } from "../calls/use-action.ts";
import { Button } from "../parts/button.tsx";
import { Field } from "../parts/field.tsx";
import { FaultNote, Note } from "../parts/note.tsx";
import { useSession } from "../session/session.tsx";
import { CardTitle } from "../shell/cards.tsx";
import {
  type AccountFields,
  checkAll,
  checkField,
  FIELD_ORDER,
  type FieldFaults,
  type FieldName,
  refusal,
} from "./account-form.ts";

type Props = {
  name: string;
  lead: string;
  invitation?: string;
  onInvitationEnded?: (fault: Fault) => void;
};

const looks = {
  name: {
    label: "Name",
    autoComplete: "username",
    hint: "Shown to others, and part of the address of your workspaces.",
  },
  email: { label: "Email", type: "email", autoComplete: "email" },
  password: {
    label: "Password",
    type: "password",
    autoComplete: "new-password",
    hint: `${MIN_PASSWORD_LENGTH} characters or more. A sentence is easy to remember.`,
  },
} as const;

export function JoinCard({ name: title, lead, invitation, onInvitationEnded }: Props) {
  const { who } = useSession();
  const [fields, setFields] = useState<AccountFields>({ name: "", email: "", password: "" });
  const [faults, setFaults] = useState<FieldFaults>({});
  const [other, setOther] = useState<string>();
  const inputs = useRef<Partial<Record<FieldName, HTMLInputElement | null>>>({});
  const { busy, run } = useWork();

  const show = (found: FieldFaults) => {
    setFaults(found);
    const first = FIELD_ORDER.find((field) => found[field] !== undefined);
    if (first) inputs.current[first]?.focus();
    return first !== undefined;
  };

  const leave = (field: FieldName) => {
    // An empty field that was only tabbed through is not an error yet.
    const fault = fields[field] === "" ? undefined : checkField(field, fields[field]);
    setFaults(({ [field]: _gone, ...rest }) => (fault === undefined ? rest : { ...rest, [field]: fault }));
  };

  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    setOther(undefined);
    const trimmed = { ...fields, name: fields.name.trim(), email: fields.email.trim() };
    if (show(checkAll(trimmed))) return;
    void run(async () => {
      const body = { ...trimmed, ...(invitation === undefined ? {} : { invitation }) };
      const answer = await call({ method: "POST", path: "/auth/accounts", body });
      if (answer.ok) return window.location.replace("/");
      if (answer.fault.code === "invitation-ended") return onInvitationEnded?.(answer.fault);
      const refused = refusal(answer.fault);
      show(refused.fields);
      setOther(refused.other);
    });
  };

  return (
    <section className="card">
      <div className="sect head">
        <CardTitle name={title}>Create an account</CardTitle>
        <p>{lead}</p>
      </div>
      <form className="sect form" method="post" onSubmit={submit} noValidate>
        {who.is === "in" && (
          <Note>You are signed in as {who.user.name}. This creates another account and signs you in to it.</Note>
        )}
        {FIELD_ORDER.map((field) => (
          <Field
            key={field}
            {...looks[field]}
            name={field}
            ref={(input) => {
              inputs.current[field] = input;
            }}
            value={fields[field]}
            onChange={(value) => {
              setFields((before) => ({ ...before, [field]: value }));
              // Not on blur: a line that disappears then would move the button away from the click.
              setFaults(({ [field]: _gone, ...rest }) => rest);
            }}
            onLeave={() => leave(field)}
            fault={faults[field]}
            large
          />
        ))}
        <FaultNote>{other}</FaultNote>
        <Button type="submit" look="primary" size="large" busy={busy}>
          Create account
        </Button>
        <p className="dense muted">
          Have an account? <Link to="/auth/sign-in">Sign in</Link>
        </p>
      </form>
    </section>
  );
}
