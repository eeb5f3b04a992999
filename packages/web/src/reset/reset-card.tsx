import { MIN_PASSWORD_LENGTH, type OpenReset, type PasswordReset } from "@backplane/contract/accounts";
import { type SubmitEvent, useRef, useState } from "react";
import { Link } from "react-router";
import { call } from "../calls/call.ts";
import { faultWords } from "../calls/fault-words.ts";
import { useWork } from "../calls/use-action.ts";
import { newPasswordFault } from "../join/account-form.ts";
import { Button } from "../parts/button.tsx";
import { Field } from "../parts/field.tsx";
import { FaultNote, Note } from "../parts/note.tsx";
import { useSession } from "../session/session.tsx";
import { CardTitle } from "../shell/cards.tsx";
import { endingWords, linkWords, repeatFault } from "./reset-words.ts";

type Props = {
  name: string;
  token: string;
  link: OpenReset;
  /** By the server's clock. */
  now: Date;
  onDone: (reset: PasswordReset) => void;
  onEnded: () => void;
};

type Faults = { password?: string | undefined; again?: string | undefined; other?: string };

/** The new password, typed twice. */
export function ResetCard({ name, token, link, now, onDone, onEnded }: Props) {
  const { who, refresh } = useSession();
  const [password, setPassword] = useState("");
  const [again, setAgain] = useState("");
  const [shown, setShown] = useState(false);
  const [faults, setFaults] = useState<Faults>({});
  const passwordField = useRef<HTMLInputElement>(null);
  const againField = useRef<HTMLInputElement>(null);
  const { busy, run } = useWork();

  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const found: Faults = { password: newPasswordFault(password), again: repeatFault(password, again) };
    setFaults(found);
    if (found.password !== undefined) return passwordField.current?.focus();
    if (found.again !== undefined) return againField.current?.focus();
    void run(async () => {
      const body = { token, new_password: password };
      const answer = await call<PasswordReset>({ method: "POST", path: "/auth/password/reset", body });
      if (answer.ok) {
        await refresh();
        return onDone(answer.value);
      }
      if (answer.fault.code === "reset-link-ended") return onEnded();
      setFaults({ other: faultWords(answer.fault) });
    });
  };

  return (
    <>
      <section className="card">
        <Head name={name} link={link} now={now} />
        <form className="sect form" method="post" onSubmit={submit} noValidate>
          {who.is === "in" && who.user.name !== link.name && (
            <Note>
              You are signed in as {who.user.name}. Saving signs you in as {link.name}.
            </Note>
          )}
          {/* for password managers: whose password it is */}
          <input
            className="sr"
            type="text"
            value={link.name}
            autoComplete="username"
            readOnly
            tabIndex={-1}
            aria-hidden
          />
          <Field
            ref={passwordField}
            label="New password"
            name="new-password"
            type={shown ? "text" : "password"}
            autoComplete="new-password"
            value={password}
            onChange={(value) => {
              setPassword(value);
              setFaults({});
            }}
            end={
              <button className="btn small quiet" type="button" onClick={() => setShown(!shown)}>
                {shown ? "Hide" : "Show"}
              </button>
            }
            meter={<LengthMeter length={password.length} />}
            hint={`${lengthWords(password.length)} A long phrase is better than odd signs.`}
            fault={faults.password}
            autoFocus
            large
          />
          <Field
            ref={againField}
            label="Again"
            name="new-password-again"
            type={shown ? "text" : "password"}
            autoComplete="new-password"
            value={again}
            onChange={(value) => {
              setAgain(value);
              setFaults({});
            }}
            onLeave={() => again !== "" && setFaults((before) => ({ ...before, again: repeatFault(password, again) }))}
            fault={faults.again}
            large
          />
          <p className="dense">{endingWords(link)}</p>
          <FaultNote>{faults.other}</FaultNote>
          <Button type="submit" look="primary" size="large" busy={busy}>
            Save password
          </Button>
        </form>
      </section>
      <p className="small muted tip">
        A passkey needs no password. <Link to="/auth/sign-in">Sign in with a passkey instead</Link>
      </p>
    </>
  );
}

function Head({ name, link, now }: Pick<Props, "name" | "link" | "now">) {
  return (
    <div className="sect head">
      <CardTitle name={name} takesFocus={false}>
        Choose a new password
      </CardTitle>
      <p>
        For <b className="reset-name">{link.name}</b>. {linkWords(link, now)}
      </p>
    </div>
  );
}

const lengthWords = (length: number): string =>
  length === 0
    ? `${MIN_PASSWORD_LENGTH} characters or more.`
    : `${length} ${length === 1 ? "character" : "characters"}, ${MIN_PASSWORD_LENGTH} are needed.`;

const PINS = Array.from({ length: MIN_PASSWORD_LENGTH }, (_, place) => place);

/** One pin per needed character. */
function LengthMeter({ length }: { length: number }) {
  const look = length < MIN_PASSWORD_LENGTH ? "on" : "ok";
  return (
    <div className="pins wide reset-length" aria-hidden="true">
      {PINS.map((place) => (
        <i className={place < length ? look : undefined} key={place} />
      ))}
    </div>
  );
}
