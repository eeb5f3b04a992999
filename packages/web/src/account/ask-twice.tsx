import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import { Button } from "../parts/button.tsx";

type Props = {
  /** The first word: "End". */
  label: string;
  /** Of what, for who hears only this button: "End Firefox on Windows". */
  fullLabel?: string;
  /** The second: "End session". */
  confirm: string;
  look?: "danger";
  busy: boolean;
  onConfirm: () => void;
};

/** Asks once more, in place. The way out takes the place of the first button, where a double click would fall. */
export function AskTwice({ label, fullLabel, confirm, look, busy, onConfirm }: Props) {
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
