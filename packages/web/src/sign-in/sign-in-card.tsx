import "./sign-in.css";
import { type ReactNode, type SubmitEvent, useRef, useState } from "react";
import { call } from "../calls/call.ts";
import { useWork } from "../calls/use-action.ts";
import { Button } from "../parts/button.tsx";
import { Field } from "../parts/field.tsx";
import { Icon } from "../parts/icon.tsx";
import { FaultNote, Note } from "../parts/note.tsx";
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

type Faults = { name?: string; password?: string };

/** Signing in with a passkey: offered in the name field, or started by a click. */
function usePasskeySignIn(onSignedIn: () => Promise<void>) {
  const [support] = useState(() => passkeySupport(window));
  const [fault, setFault] = useState<string>();
  const { busy, run } = useWork();

  const finish = async (outcome: PasskeyOutcome) => {
    if (outcome.is === "done") await onSignedIn();
    if (outcome.is === "failed" && !outcome.answer.ok) setFault(signInFault(outcome.answer.fault));
  };
  const stopOffer = usePasskeyOffer(support.possible, (outcome) => {
    // Nobody clicked for this, so do not report a server that does not answer.
    if (outcome.is !== "failed" || (!outcome.answer.ok && outcome.answer.fault.code === "passkey-refused")) {
      void finish(outcome);
    }
  });
  const start = () =>
    run(async () => {
      setFault(undefined);
      stopOffer();
      const outcome = await signInWithPasskey({ conditional: false, signal: new AbortController().signal });
      if (outcome.is === "given-up") setFault("No passkey was used. Try again, or use your password.");
      else await finish(outcome);
    });

  return { support, busy, fault, start, clearFault: () => setFault(undefined) };
}

/** Name and password, a passkey, or the company's sign-in. A failure keeps what was typed. */
export function SignInCard({ heading, lead, returnTo, before, autoFocus = false, onSignedIn, children }: Props) {
  const { refresh, options } = useSession();
  const [name, setName] = useState("");
  const [password, setPassword] = useState("");
  const [faults, setFaults] = useState<Faults>({});
  const nameField = useRef<HTMLInputElement>(null);
  const passwordField = useRef<HTMLInputElement>(null);
  const { busy, run } = useWork();

  const signedIn = async () => {
    await refresh();
    onSignedIn?.();
  };

  const passkey = usePasskeySignIn(signedIn);

  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const missing: Faults = {
      ...(name.trim() === "" ? { name: "Type your name or email, such as owner." } : {}),
      ...(password === "" ? { password: "Type your password." } : {}),
    };
    setFaults(missing);
    passkey.clearFault();
    if (missing.name) return nameField.current?.focus();
    if (missing.password) return passwordField.current?.focus();
    void run(async () => {
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
        <Button type="submit" look="primary" size="large" busy={busy}>
          Sign in
        </Button>
        <OtherWays
          support={passkey.support}
          usePasskey={() => {
            setFaults({});
            void passkey.start();
          }}
          busy={passkey.busy}
          provider={options?.openid?.name}
          returnTo={returnTo}
        />
        <FaultNote>{passkey.fault}</FaultNote>
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
