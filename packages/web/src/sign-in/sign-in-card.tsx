import "./sign-in.css";
import { type ReactNode, type SubmitEvent, useRef, useState } from "react";
import { call } from "../calls/call.ts";
import { useWork } from "../calls/use-action.ts";
import { Button } from "../parts/button.tsx";
import { Field } from "../parts/field.tsx";
import { Icon } from "../parts/icon.tsx";
import { Note } from "../parts/note.tsx";
import { useSession } from "../session/session.tsx";
import {
  type PasskeyOutcome,
  type PasskeySupport,
  passkeySupport,
  signInWithPasskey,
  usePasskeyOffer,
} from "./passkeys.ts";
import { signInFault } from "./sign-in-faults.ts";

type Props = {
  heading: ReactNode;
  lead: ReactNode;
  /** Where the company's sign-in returns to. */
  returnTo: string;
  /** What went wrong before the page was opened. */
  before?: string | undefined;
  autoFocus?: boolean;
  /** Called after signing in, when the session is known. */
  onSignedIn?: () => void;
  children?: ReactNode;
};

type Faults = { name?: string; password?: string; passkey?: string };

/** Name and password, a passkey, or the company's sign-in. A failure keeps what was typed. */
export function SignInCard({ heading, lead, returnTo, before, autoFocus = false, onSignedIn, children }: Props) {
  const { refresh, options } = useSession();
  const [name, setName] = useState("");
  const [password, setPassword] = useState("");
  const [faults, setFaults] = useState<Faults>({});
  const nameField = useRef<HTMLInputElement>(null);
  const passwordField = useRef<HTMLInputElement>(null);
  const byPassword = useWork();
  const byPasskey = useWork();
  const [support] = useState(() => passkeySupport(window));

  const signedIn = async () => {
    await refresh();
    onSignedIn?.();
  };

  const hearPasskey = async (outcome: PasskeyOutcome) => {
    if (outcome.is === "done") await signedIn();
    if (outcome.is === "failed" && !outcome.answer.ok) setFaults({ passkey: signInFault(outcome.answer.fault) });
  };

  const stopOffer = usePasskeyOffer(support.possible, (outcome) => {
    // Nobody clicked for this, so do not report a server that does not answer.
    if (outcome.is !== "failed" || (!outcome.answer.ok && outcome.answer.fault.code === "passkey-refused")) {
      void hearPasskey(outcome);
    }
  });

  const usePasskey = () =>
    byPasskey.run(async () => {
      setFaults({});
      stopOffer();
      const outcome = await signInWithPasskey({ conditional: false, signal: new AbortController().signal });
      if (outcome.is === "given-up") setFaults({ passkey: "No passkey was used. Try again, or use your password." });
      else await hearPasskey(outcome);
    });

  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const missing: Faults = {
      ...(name.trim() === "" ? { name: "Type your name or email, such as owner." } : {}),
      ...(password === "" ? { password: "Type your password." } : {}),
    };
    setFaults(missing);
    if (missing.name) return nameField.current?.focus();
    if (missing.password) return passwordField.current?.focus();
    void byPassword.run(async () => {
      const answer = await call({ method: "POST", path: "/auth/login", body: { name: name.trim(), password } });
      if (answer.ok) return signedIn();
      setFaults({ password: signInFault(answer.fault) });
      passwordField.current?.focus();
    });
  };

  return (
    <section className="card sign-in">
      <div className="sect head">
        {heading}
        <p>{lead}</p>
      </div>
      <form className="sect form" method="post" onSubmit={submit} noValidate>
        {before !== undefined && (
          <Note tone="warn" role="status">
            {before}
          </Note>
        )}
        <Field
          ref={nameField}
          label="Name or email"
          name="name"
          value={name}
          onChange={setName}
          autoComplete="username webauthn"
          fault={faults.name}
          autoFocus={autoFocus}
          large
        />
        <Field
          ref={passwordField}
          label="Password"
          name="password"
          type="password"
          value={password}
          onChange={setPassword}
          autoComplete="current-password"
          fault={faults.password}
          large
        />
        <Button type="submit" look="primary" size="large" busy={byPassword.busy}>
          Sign in
        </Button>
        <OtherWays
          support={support}
          usePasskey={usePasskey}
          busy={byPasskey.busy}
          provider={options?.openid?.name}
          returnTo={returnTo}
        />
        {faults.passkey !== undefined && (
          <Note tone="danger" role="alert">
            {faults.passkey}
          </Note>
        )}
        {children}
      </form>
    </section>
  );
}

type OtherWaysProps = {
  support: PasskeySupport;
  usePasskey: () => void;
  busy: boolean;
  /** The configured OpenID Connect provider. */
  provider: string | undefined;
  returnTo: string;
};

/** A passkey, or the company's sign-in. */
function OtherWays({ support, usePasskey, busy, provider, returnTo }: OtherWaysProps) {
  return (
    <>
      {(support.possible || provider !== undefined) && <div className="or">or</div>}
      <div className="two">
        {support.possible && (
          <Button size="large" icon="passkey" busy={busy} onClick={usePasskey}>
            Use a passkey
          </Button>
        )}
        {provider !== undefined && (
          <a className="btn large" href={`/auth/openid/start?${new URLSearchParams({ return_to: returnTo })}`}>
            <Icon name="globe" />
            <span className="cut">{provider}</span>
          </a>
        )}
      </div>
      {!support.possible && <p className="small muted">{support.why}</p>}
    </>
  );
}
