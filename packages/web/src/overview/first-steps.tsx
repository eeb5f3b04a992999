import type { Session } from "@backplane/contract/accounts";
import { useEffect, useState } from "react";
import { Link } from "react-router";
import { call } from "../calls/call.ts";
import { CopyButton } from "../parts/copy-button.tsx";
import { Icon } from "../parts/icon.tsx";
import { poll } from "../parts/poll.ts";
import { clock } from "../parts/times.ts";
import { useSession } from "../session/session.tsx";
import { type DoneAt, doneCount, firstConnection, firstSteps, type StepView } from "./steps.ts";

/** The end of a step's line. */
function Outcome({ step }: { step: StepView }) {
  switch (step.status) {
    case "done":
      return <span className="dense muted">{clock(step.doneAt, new Date())}</span>;
    case "next":
      return <span className="badge accent">Next</span>;
    case "todo":
      return step.command ? <code className="later dense muted">{step.command}</code> : null;
  }
}

function StepRow({ step, number }: { step: StepView; number: number }) {
  const isNext = step.status === "next";
  return (
    <li className={`step ${step.status}`} aria-current={isNext ? "step" : undefined}>
      <span className="n">{step.status === "done" ? <Icon name="check" /> : number}</span>
      <h3>
        {step.title}
        {step.status === "done" && <span className="sr">, done</span>}
      </h3>
      <Outcome step={step} />
      {isNext && step.more && <p className="more">{step.more}</p>}
      {isNext && step.page && (
        <div className="more">
          <Link className="btn small" to={step.page.address}>
            {step.page.word}
          </Link>
        </div>
      )}
      {isNext && step.command && (
        <div className="copy">
          <code className="prompted">{step.command}</code>
          <CopyButton text={step.command} />
        </div>
      )}
    </li>
  );
}

export function FirstSteps({ doneAt }: { doneAt: DoneAt }) {
  const steps = firstSteps(doneAt);
  return (
    <section className="card" aria-labelledby="steps">
      <div className="card-head">
        <h2 id="steps">First steps</h2>
        <span className="dense muted">{doneCount(steps)}</span>
      </div>
      <ol>
        {steps.map((step, index) => (
          <StepRow key={step.id} step={step} number={index + 1} />
        ))}
      </ol>
    </section>
  );
}

/** How often to check whether a terminal has connected, until one has. */
const POLL_EVERY_MS = 4_000;

/** The first steps that this browser can see: signing in and connecting a terminal. */
export function useDoneSteps(): DoneAt {
  const { who } = useSession();
  const [connectedAt, setConnectedAt] = useState<Date>();
  const isIn = who.is === "in";
  const looks = isIn && !connectedAt;

  useEffect(() => {
    if (!looks) return;
    return poll({
      load: (signal) => call<{ sessions: Session[] }>({ method: "GET", path: "/auth/sessions", signal }),
      everyMs: POLL_EVERY_MS,
      page: document,
      onAnswer: (answer) => answer.ok && setConnectedAt(firstConnection(answer.value.sessions)),
      onSilence: () => {},
    });
  }, [looks]);

  if (!isIn) return {};
  return {
    "sign-in": new Date(who.user.session.created_at),
    ...(connectedAt ? { connect: connectedAt } : {}),
  };
}
