import "./reset.css";
import type { OpenReset, PasswordReset } from "@backplane/contract/accounts";
import { useCallback, useEffect, useState } from "react";
import { Link } from "react-router";
import { call, type Fault } from "../calls/call.ts";
import { CardSkeleton, OutcomeCard, SilentCard } from "../shell/cards.tsx";
import { ResetCard } from "./reset-card.tsx";
import { doneWords } from "./reset-words.ts";

const NAME = "New password";

type State =
  | { is: "asking" }
  | { is: "open"; link: OpenReset; now: Date }
  | { is: "failed"; fault: Fault }
  | { is: "ended" }
  | { is: "done"; reset: PasswordReset };

/** Chooses a new password with a link from the owner. */
export function ResetPage({ token }: { token: string | undefined }) {
  const [state, setState] = useState<State>({ is: token === undefined ? "ended" : "asking" });
  const end = () => setState({ is: "ended" });

  const check = useCallback(async () => {
    const answer = await call<OpenReset>({ method: "POST", path: "/auth/password/reset/check", body: { token } });
    if (answer.ok) {
      const now = new Date(answer.serverTimeMs ?? Date.now());
      return setState({ is: "open", link: answer.value, now });
    }
    const { status } = answer.fault;
    const isTemporary = status === 0 || status >= 500 || status === 429;
    setState(isTemporary ? { is: "failed", fault: answer.fault } : { is: "ended" });
  }, [token]);

  useEffect(() => {
    if (token !== undefined) void check();
  }, [check, token]);

  return (
    <div className="reset">
      {state.is === "asking" && <CardSkeleton />}
      {state.is === "failed" && <SilentCard name={NAME} fault={state.fault} retry={check} />}
      {state.is === "ended" && <EndedLink />}
      {state.is === "done" && <Done reset={state.reset} />}
      {state.is === "open" && token !== undefined && (
        <ResetCard
          name={NAME}
          token={token}
          link={state.link}
          now={state.now}
          onDone={(reset) => setState({ is: "done", reset })}
          onEnded={end}
        />
      )}
    </div>
  );
}

function EndedLink() {
  return (
    <OutcomeCard
      name="Link ended"
      title="This link no longer works"
      icon="clock"
      tone="warn"
      line="Links for a new password work for one hour and only once. Ask the owner for another one, or sign in with your passkey."
      action={
        <Link className="btn primary" to="/auth/sign-in">
          Sign in with a passkey
        </Link>
      }
    />
  );
}

function Done({ reset }: { reset: PasswordReset }) {
  return (
    <>
      <OutcomeCard
        name="Password saved"
        title="Password saved"
        icon="check"
        tone="ok"
        line={doneWords(reset)}
        action={
          <Link className="btn primary" to="/">
            Go to the overview
          </Link>
        }
      />
      <p className="small muted tip">
        A passkey needs no password. <Link to="/account">Add a passkey</Link>
      </p>
    </>
  );
}
