import { type ReactNode, useId } from "react";

type Props = { title: string; aside?: ReactNode; children: ReactNode };

/** A card of the page, with its state or its buttons on the right. */
export function Card({ title, aside, children }: Props) {
  const id = useId();
  return (
    <section className="card" aria-labelledby={id}>
      <div className="card-head">
        <h2 id={id}>{title}</h2>
        {aside}
      </div>
      {children}
    </section>
  );
}

/** In place of what did not answer. */
export function Unknown() {
  return <p className="card-body dense muted">Did not answer in time. This page asks again.</p>;
}

/** Terms and values; those that are not known are left out. */
export function Facts({ facts }: { facts: Readonly<Record<string, ReactNode>> }) {
  return (
    <dl className="facts card-body">
      {Object.entries(facts)
        .filter(([, value]) => value !== undefined && value !== false)
        .map(([term, value]) => (
          <div key={term}>
            <dt>{term}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}
