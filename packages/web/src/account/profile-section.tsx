import { ACCOUNT_LIMITS, type User } from "@backplane/contract/accounts";
import { type SubmitEvent, useRef, useState } from "react";
import { call } from "../calls/call.ts";
import { faultWords } from "../calls/fault-words.ts";
import { useWork } from "../calls/use-action.ts";
import { checkField } from "../join/account-form.ts";
import { Button } from "../parts/button.tsx";
import { Field } from "../parts/field.tsx";
import { FaultNote, Note } from "../parts/note.tsx";
import { useSession } from "../session/session.tsx";
import { Section, type SectionInfo } from "./section.tsx";

export const PROFILE: SectionInfo = { id: "profile", title: "Profile" };

type Faults = { email?: string | undefined; other?: string };

/** How others see this person. The name itself stays: it is part of addresses. */
export function ProfileSection({ user }: { user: User }) {
  const { refresh } = useSession();
  const [displayName, setDisplayName] = useState(user.display_name);
  const [email, setEmail] = useState(user.email);
  const [faults, setFaults] = useState<Faults>({});
  const [saved, setSaved] = useState(false);
  const emailField = useRef<HTMLInputElement>(null);
  const { busy, run } = useWork();

  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    setSaved(false);
    const fault = email === user.email ? undefined : checkField("email", email);
    setFaults({ email: fault });
    if (fault !== undefined) return emailField.current?.focus();
    void run(async () => {
      // What was not touched is not sent: an address that was made up at the first start need not be one.
      const body = { display_name: displayName, ...(email === user.email ? {} : { email }) };
      const answer = await call({ method: "PATCH", path: "/user", body });
      if (answer.ok || answer.fault.status === 401) {
        setSaved(answer.ok);
        return refresh();
      }
      const isTaken = answer.fault.code === "email-taken";
      const words = faultWords(answer.fault);
      setFaults(isTaken ? { email: "Another account uses this address. Use a different one." } : { other: words });
      if (isTaken) emailField.current?.focus();
    });
  };

  return (
    <Section info={PROFILE}>
      <form className="part-form" method="post" onSubmit={submit} noValidate>
        <div className="side-by-side">
          <Field
            label="Display name"
            name="display-name"
            autoComplete="name"
            value={displayName}
            onChange={setDisplayName}
            maxLength={ACCOUNT_LIMITS.maxDisplayNameLength}
            hint={`Shown beside ${user.name}.`}
          />
          <Field
            ref={emailField}
            label="Email"
            name="email"
            type="email"
            autoComplete="email"
            value={email}
            onChange={setEmail}
            fault={faults.email}
          />
        </div>
        <FaultNote>{faults.other}</FaultNote>
        <div role="status">{saved && <Note tone="ok">Profile saved.</Note>}</div>
        <div>
          <Button type="submit" busy={busy}>
            Save profile
          </Button>
        </div>
      </form>
    </Section>
  );
}
