import { type ReactNode, useId } from "react";
import { FaultLine } from "../parts/field.tsx";
import type { Part } from "./parts-of-account.ts";

type Props = {
  part: Part;
  /** What the section offers as a whole. */
  action?: ReactNode;
  /** Why that failed. */
  fault?: string | undefined;
  /** What the person just did, for who cannot see it happen. */
  said?: string | undefined;
  children: ReactNode;
};

/** A card of the account page. */
export function Section({ part: { id, title }, action, fault, said, children }: Props) {
  const titleId = useId();
  return (
    <section className="card part" id={id} aria-labelledby={titleId}>
      <div className="card-head">
        <h2 id={titleId} tabIndex={-1}>
          {title}
        </h2>
        {action}
      </div>
      {fault !== undefined && (
        <div className="part-note">
          <FaultLine>{fault}</FaultLine>
        </div>
      )}
      <p className="sr" role="status">
        {said}
      </p>
      {children}
    </section>
  );
}

/** Where the focus goes when the row that had it is gone. */
export const focusPart = ({ id }: Part): void => document.querySelector<HTMLElement>(`#${id} h2`)?.focus();
