import { isLoopbackUrl } from "@backplane/kit/loopback";
import { type KeyboardEvent, type ReactNode, type SubmitEvent, useEffect, useRef, useState } from "react";
import { useAction } from "../calls/use-action.ts";
import { Button } from "../parts/button.tsx";
import { CopyButton } from "../parts/copy-button.tsx";
import { FaultLine } from "../parts/field.tsx";
import { Icon, type IconName } from "../parts/icon.tsx";
import { Note } from "../parts/note.tsx";

type Props = {
  icon: IconName;
  children: ReactNode;
  /** Below the name. */
  line?: ReactNode | undefined;
  /** What the columns say that a narrow screen has no room for. */
  narrow?: string;
  fault?: string | undefined;
};

/** The first cell of a row: what it is, and what went wrong with it. */
export function RowName({ icon, children, line, narrow, fault }: Props) {
  return (
    <div className="row-name">
      <Icon name={icon} />
      <div>
        <div className="row-title">{children}</div>
        {line !== undefined && <div className="row-line">{line}</div>}
        {narrow !== undefined && <div className="row-line narrow">{narrow}</div>}
        {fault !== undefined && <FaultLine>{fault}</FaultLine>}
      </div>
    </div>
  );
}

type RenameProps = {
  name: string;
  maxLength: number;
  busy: boolean;
  /** Calls `done` when the new name is saved. */
  onRename: (name: string, done: () => void) => void;
};

/** A name that can be edited in place. Enter saves it, Escape cancels. */
export function Rename({ name, maxLength, busy, onRename }: RenameProps) {
  const [draft, setDraft] = useState<string>();
  const pencil = useRef<HTMLButtonElement>(null);
  const input = useRef<HTMLInputElement>(null);
  const returns = useRef(false);
  const editing = draft !== undefined;

  useEffect(() => {
    if (editing) input.current?.select();
    else if (returns.current) pencil.current?.focus();
    returns.current = editing;
  }, [editing]);

  if (draft === undefined) {
    return (
      <>
        <bdi>{name}</bdi>
        <button
          ref={pencil}
          className="icon-btn small rename"
          type="button"
          aria-label={`Rename ${name}`}
          onClick={() => setDraft(name)}
        >
          <Icon name="pencil" />
        </button>
      </>
    );
  }

  const leave = () => setDraft(undefined);
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const wanted = draft.trim();
    if (wanted === "" || wanted === name) return leave();
    onRename(wanted, leave);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Escape") leave();
  };

  return (
    <form className="rename-form" onSubmit={submit}>
      <div className="input">
        <input
          ref={input}
          aria-label={`New name for ${name}`}
          value={draft}
          maxLength={maxLength}
          autoComplete="off"
          onChange={(event) => setDraft(event.target.value)}
          onKeyDown={onKeyDown}
        />
      </div>
      <Button type="submit" size="small" busy={busy}>
        Save
      </Button>
      <Button size="small" look="quiet" onClick={leave}>
        Cancel
      </Button>
    </form>
  );
}

/** Renames the resource at this path; for `Rename`. */
export function useRename(path: string, onRenamed: () => Promise<void>) {
  const { busy, fault, act } = useAction();
  const rename = (name: string, done: () => void) =>
    act({ method: "PATCH", path, body: { name } }, async () => {
      await onRenamed();
      done();
    });
  return { busy, fault, rename };
}

type ConfirmButtonProps = {
  /** The first button: "End". */
  label: string;
  /** For screen readers: "End Firefox on Windows". */
  fullLabel?: string;
  /** The second button: "End session". */
  confirm: string;
  /** What else is lost, said before it is confirmed. */
  consequence?: string;
  look?: "danger";
  busy: boolean;
  onConfirm: () => void;
};

/** Asks for confirmation in place. "Keep" appears where the first button was, so a double click changes nothing. */
export function ConfirmButton({ label, fullLabel, confirm, consequence, look, busy, onConfirm }: ConfirmButtonProps) {
  const [asked, setAsked] = useState(false);
  const first = useRef<HTMLButtonElement>(null);
  const keep = useRef<HTMLButtonElement>(null);
  const returns = useRef(false);

  useEffect(() => {
    if (asked) keep.current?.focus();
    else if (returns.current) first.current?.focus();
    returns.current = asked;
  }, [asked]);

  const leave = (event: KeyboardEvent) => {
    if (event.key === "Escape") setAsked(false);
  };

  if (!asked) {
    return (
      <Button ref={first} size="small" {...(look ? { look } : {})} label={fullLabel} onClick={() => setAsked(true)}>
        {label}
      </Button>
    );
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: only hears the Escape of the buttons in it
    <span className="ask-twice" onKeyDown={leave}>
      {consequence !== undefined && (
        <span className="consequence" role="status">
          {consequence}
        </span>
      )}
      <Button
        size="small"
        look="danger"
        busy={busy}
        label={fullLabel === undefined ? undefined : `${confirm}: ${fullLabel}`}
        onClick={onConfirm}
      >
        {confirm}
      </Button>
      <Button ref={keep} size="small" onClick={() => setAsked(false)}>
        Keep
      </Button>
    </span>
  );
}

type ShownOnceProps = { icon: IconName; children: ReactNode; secret: string; onHide: () => void };

/** A secret that is shown now and never again. A link may be meant for somebody else. */
export function ShownOnce({ icon, children, secret, onHide }: ShownOnceProps) {
  return (
    <div className="part-note">
      <Note tone="ok" icon={icon} role="status">
        <div className="shown-once-head">
          <p>{children}</p>
          <Button size="small" look="quiet" onClick={onHide}>
            Hide
          </Button>
        </div>
        <div className="copy">
          <code>{secret}</code>
          <CopyButton text={secret} />
        </div>
      </Note>
      {URL.canParse(secret) && isLoopbackUrl(secret) && (
        <Note tone="warn">
          This link opens only on the machine that runs Backplane. For somebody elsewhere, set <code>BASE_URL</code> to
          an address that they can reach, start Backplane again, and make a new link.
        </Note>
      )}
    </div>
  );
}

type RowTableProps = {
  /** The first one stays on a narrow screen. */
  columns: readonly [string, ...string[]];
  /** The head of the last column, for screen readers only unless `showLast`. */
  last: string;
  showLast?: boolean;
  children: ReactNode;
};

export function RowTable({ columns: [first, ...others], last, showLast = false, children }: RowTableProps) {
  return (
    <table className="table">
      <thead>
        <tr>
          <th>{first}</th>
          {others.map((column) => (
            <th className="hide" key={column}>
              {column}
            </th>
          ))}
          <th>{showLast ? last : <span className="sr">{last}</span>}</th>
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  );
}
