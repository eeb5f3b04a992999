import { MIN_PASSWORD_LENGTH } from "@backplane/contract/accounts";
import { type SubmitEvent, useRef, useState } from "react";
import { call } from "../calls/call.ts";
import { faultWords } from "../calls/fault-words.ts";
import { useWork } from "../calls/use-action.ts";
import { newPasswordFault } from "../join/account-form.ts";
import { Button } from "../parts/button.tsx";
import { Field } from "../parts/field.tsx";
import { FaultNote, Note } from "../parts/note.tsx";
import { useSession } from "../session/session.tsx";
import { Section, type SectionInfo } from "./section.tsx";

export const PASSWORD: SectionInfo = { id: "password", title: "Password" };

type Faults = { current?: string; next?: string; other?: string };

/** A change ends every other session: it locks out anyone who knew the old password. */
export function PasswordSection({ userName }: { userName: string }) {
  const { refresh } = useSession();
  const [current, setCurrent] = useState("");
  const [next, setNext] = useState("");
  const [faults, setFaults] = useState<Faults>({});
  const [changed, setChanged] = useState(false);
  const currentField = useRef<HTMLInputElement>(null);
  const nextField = useRef<HTMLInputElement>(null);
  const { busy, run } = useWork();

  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    setChanged(false);
    const fault = newPasswordFault(next);
    setFaults(fault === undefined ? {} : { next: fault });
    if (fault !== undefined) return nextField.current?.focus();
    void run(async () => {
      const body = { new_password: next, ...(current === "" ? {} : { current_password: current }) };
      const answer = await call({ method: "PUT", path: "/auth/password", body });
      if (answer.ok) {
        setCurrent("");
        setNext("");
        setChanged(true);
        return;
      }
      if (answer.fault.status === 401) return refresh();
      const isCurrent = answer.fault.errors.some(({ pointer }) => pointer === "/current_password");
      setFaults(isCurrent ? { current: currentFault(current) } : { other: faultWords(answer.fault) });
      if (isCurrent) currentField.current?.focus();
    });
  };

  return (
    <Section info={PASSWORD}>
      <form className="part-form" method="post" onSubmit={submit} noValidate>
        {/* for password managers: whose password it is */}
        <input className="sr" type="text" value={userName} autoComplete="username" readOnly tabIndex={-1} aria-hidden />
        <div className="side-by-side">
          <Field
            ref={currentField}
            label="Current password"
            name="current-password"
            type="password"
            autoComplete="current-password"
            value={current}
            onChange={setCurrent}
            fault={faults.current}
          />
          <Field
            ref={nextField}
            label="New password"
            name="new-password"
            type="password"
            autoComplete="new-password"
            value={next}
            onChange={(value) => {
              setNext(value);
              // Not on blur: a line that disappears then would move the button away from the click.
              setFaults((before) => withNext(before, undefined));
            }}
            onLeave={() => next !== "" && setFaults((before) => withNext(before, newPasswordFault(next)))}
            hint={`${MIN_PASSWORD_LENGTH} characters or more. All your other sessions end.`}
            fault={faults.next}
          />
        </div>
        <FaultNote>{faults.other}</FaultNote>
        <div role="status">
          {changed && <Note tone="ok">Password changed. All your other sessions have ended.</Note>}
        </div>
        <div>
          <Button type="submit" busy={busy}>
            Change password
          </Button>
        </div>
      </form>
    </Section>
  );
}

const currentFault = (typed: string): string =>
  typed === "" ? "Type your current password." : "The current password is wrong. Check it and try again.";

function withNext({ next: _gone, ...rest }: Faults, next: string | undefined): Faults {
  return next === undefined ? rest : { ...rest, next };
}
