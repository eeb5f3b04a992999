import { FIRST_STEPS, type FirstSteps as TakenSteps } from "@backplane/contract/platform";
import { useEffect, useState } from "react";
import { Link } from "react-router";
import { call } from "../calls/call.ts";
import { Command } from "../parts/command.tsx";
import { CopyButton, CopyIconButton } from "../parts/copy-button.tsx";
import { Icon } from "../parts/icon.tsx";
import { poll } from "../parts/poll.ts";
import { terminalCommand } from "../parts/terminal-command.ts";
import { clock } from "../parts/times.ts";
import { useSession } from "../session/session.tsx";
import { type DoneAt, doneCount, firstSteps, type StepsOf, type StepView, timesOf } from "./steps.ts";
import { Unbroken } from "./unbroken.tsx";

/** The end of a step's line. */
function Outcome({ step }: { step: StepView }) {
  switch (step.status) {
    case "done":
      return <span className="dense muted">{clock(step.doneAt, new Date())}</span>;
    case "next":
      return <span className="badge accent">Next</span>;
    case "todo":
      return step.command ? (
        <span className="later row">
          <Command className="dense muted" text={terminalCommand(step.command)} />
          <CopyIconButton text={terminalCommand(step.command)} label={`Copy the command: ${step.title}`} />
        </span>
      ) : null;
  }
}

function StepRow({ step, number }: { step: StepView; number: number }) {
  const isNext = step.status === "next";
  return (
    <li className={`step ${step.status}`} aria-current={isNext ? "step" : undefined}>
      <span className="n">{step.status === "done" ? <Icon name="check" /> : number}</span>
      <h3>
        {step.title}
        {step.status === "done" && <span className="sr"> (done)</span>}
      </h3>
      <Outcome step={step} />
      {isNext && step.more && <p className="more">{step.more}</p>}
      {isNext && step.page && (
        <div className="more to-page">
          <Link className="btn small" to={step.page.address}>
            {step.page.word}
          </Link>
        </div>
      )}
      {isNext && step.command && (
        <div className="copy">
          <Command text={terminalCommand(step.command)} />
          <CopyButton text={terminalCommand(step.command)} />
        </div>
      )}
      {isNext && step.paste && (
        <div className="copy">
          <Unbroken>{step.paste}</Unbroken>
          <CopyButton text={step.paste} />
        </div>
      )}
    </li>
  );
}

export function FirstSteps(props: StepsOf) {
  const steps = firstSteps(props);
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

/** How often to check which steps were taken, until all are. */
const POLL_EVERY_MS = 4_000;

/** The first steps that the person who is signed in has taken. */
export function useDoneSteps(): DoneAt {
  const { who } = useSession();
  const [taken, setTaken] = useState<TakenSteps>({});
  const isIn = who.is === "in";
  const looks = isIn && FIRST_STEPS.some((step) => taken[step] === undefined);

  useEffect(() => {
    if (!looks) return;
    return poll({
      load: (signal) => call<TakenSteps>({ method: "GET", path: "/api/first-steps", signal }),
      everyMs: POLL_EVERY_MS,
      page: document,
      onAnswer: (answer) => answer.ok && setTaken(answer.value),
      onSilence: () => {},
    });
  }, [looks]);

  if (!isIn) return {};
  const signedInAt = new Date(who.user.session.created_at);
  return { account: signedInAt, "sign-in": signedInAt, ...timesOf(taken) };
}
