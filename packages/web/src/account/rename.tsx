import { type KeyboardEvent, type SubmitEvent, useEffect, useRef, useState } from "react";
import { Button } from "../parts/button.tsx";
import { Icon } from "../parts/icon.tsx";

type Props = {
  name: string;
  maxLength: number;
  busy: boolean;
  /** Resolves to whether it was taken. */
  onRename: (name: string, done: () => void) => void;
};

/** A name that can be changed where it stands. Enter takes it, Escape leaves it. */
export function Rename({ name, maxLength, busy, onRename }: Props) {
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
