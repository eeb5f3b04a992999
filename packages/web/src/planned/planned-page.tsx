import "./planned.css";
import { Link } from "react-router";
import { Note } from "../parts/note.tsx";
import { State } from "../parts/state.tsx";
import { PageTitle } from "../shell/page-title.tsx";

type Props = {
  name: string;
  purpose: string;
  /** What will be here: a word and a sentence each. */
  plan: { what: string; how: string }[];
};

/** A page that has its place but not yet its content, and says so. */
export function PlannedPage({ name, purpose, plan }: Props) {
  return (
    <>
      <div className="page-head">
        <div>
          <PageTitle name={name} />
          <p>{purpose}</p>
        </div>
      </div>
      <section className="card" aria-labelledby="plan">
        <div className="card-head">
          <h2 id="plan">What will be here</h2>
          <State tone="off" word="Not built yet" />
        </div>
        <dl className="plan">
          {plan.map(({ what, how }) => (
            <div key={what}>
              <dt>{what}</dt>
              <dd>{how}</dd>
            </div>
          ))}
        </dl>
      </section>
      <div className="today">
        <Note>
          <strong>What works today:</strong> the <Link to="/">overview</Link> shows the processes and their state, and
          the <a href="/docs">API reference</a> lists the calls that are answered.
        </Note>
      </div>
    </>
  );
}
