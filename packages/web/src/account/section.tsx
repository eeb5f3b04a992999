import { type ReactNode, useId } from "react";
import { LoadFailed } from "../calls/load-failed.tsx";
import type { Resource } from "../calls/use-resource.ts";
import { FaultLine } from "../parts/field.tsx";

/** `id`: the fragment of its address. */
export type SectionInfo = { id: string; title: string };

type Props = {
  info: SectionInfo;
  /** A button for the whole section. */
  action?: ReactNode;
  /** Why the action failed. */
  fault?: string | undefined;
  /** What just happened, for screen readers. */
  announcement?: string | undefined;
  children: ReactNode;
};

/** A card of the account page. */
export function Section({ info: { id, title }, action, fault, announcement, children }: Props) {
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
        {announcement}
      </p>
      {children}
    </section>
  );
}

/** Moves the focus to a section when the row that had it is gone. */
export const focusSection = ({ id }: SectionInfo): void => document.querySelector<HTMLElement>(`#${id} h2`)?.focus();

type LoadedProps<T> = {
  resource: Resource<T>;
  /** In "Sessions could not be loaded" and "Loading sessions". */
  what: string;
  children: (value: T) => ReactNode;
};

/** A loaded list, or that it is loading, or why it failed. */
export function Loaded<T>({ resource: { value, fault, reload }, what, children }: LoadedProps<T>) {
  return (
    <>
      {fault && (
        <div className="part-note">
          <LoadFailed
            title={value === undefined ? `${what} could not be loaded.` : `${what} may have changed.`}
            fault={fault}
            onRetry={reload}
          />
        </div>
      )}
      {value === undefined ? !fault && <Rows what={what} /> : children(value)}
    </>
  );
}

function Rows({ what }: { what: string }) {
  return (
    <div className="loading rows-loading">
      <p className="sr" role="status">
        Loading {what.toLowerCase()}
      </p>
      <div className="skeleton" />
      <div className="skeleton" />
    </div>
  );
}

/** What is missing, then what to do. */
export function EmptyList({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className="nothing dense">
      <p>{title}</p>
      <p className="muted">{children}</p>
    </div>
  );
}
