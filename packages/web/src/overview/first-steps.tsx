import { Link } from "react-router";
import { CopyButton } from "../parts/copy-button.tsx";
import { Icon } from "../parts/icon.tsx";
import { clock } from "../parts/times.ts";
import { type DoneAt, doneCount, firstSteps, type StepView } from "./steps.ts";

/** What stands at the end of the line of a step. */
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
