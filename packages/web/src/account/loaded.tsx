import type { ReactNode } from "react";
import { faultWords } from "../calls/fault-words.ts";
import type { Resource } from "../calls/use-resource.ts";
import { Note } from "../parts/note.tsx";

type Props<T> = {
  resource: Resource<T>;
  /** In "Sessions are not shown", and in what is read out while it loads. */
  what: string;
  children: (value: T) => ReactNode;
};

/** A list, or that it comes, or why it does not. */
export function Loaded<T>({ resource: { value, fault, reload }, what, children }: Props<T>) {
  return (
    <>
      {fault && (
        <div className="part-note">
          <Note tone="danger" role="alert">
            <strong>{value === undefined ? `${what} are not shown.` : `${what} may have changed.`}</strong>{" "}
            {faultWords(fault)}{" "}
            <button className="link" type="button" onClick={reload}>
              Try again
            </button>
          </Note>
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
        Asking for {what.toLowerCase()}
      </p>
      <div className="skeleton" />
      <div className="skeleton" />
    </div>
  );
}

/** One line of what is missing, one of what to do. */
export function Nothing({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className="nothing dense">
      <p>{title}</p>
      <p className="muted">{children}</p>
    </div>
  );
}
