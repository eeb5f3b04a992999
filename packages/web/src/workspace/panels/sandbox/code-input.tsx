import { type KeyboardEvent, type RefObject, useState } from "react";
import { look, NO_HISTORY, remember } from "./code-history.ts";

type Props = {
  ref: RefObject<HTMLTextAreaElement | null>;
  onRun(code: string): void;
  onClear(): void;
};

const MAX_ROWS = 8;

/** Enter runs, Shift+Enter makes a line; the arrows leave the field upwards and downwards into what was typed before. */
export function CodeInput({ ref, onRun, onClear }: Props) {
  const [code, setCode] = useState("");
  const [history, setHistory] = useState(NO_HISTORY);

  function recall(event: KeyboardEvent<HTMLTextAreaElement>, way: "older" | "newer"): void {
    const { value, selectionStart, selectionEnd } = event.currentTarget;
    const isAtEdge =
      way === "older" ? !value.slice(0, selectionStart).includes("\n") : !value.slice(selectionEnd).includes("\n");
    const found = isAtEdge && selectionStart === selectionEnd ? look(history, way, value) : undefined;
    if (!found) return;
    event.preventDefault();
    setHistory(found.history);
    setCode(found.text);
  }

  function onKeyDown(event: KeyboardEvent<HTMLTextAreaElement>): void {
    // Enter of an input method chooses a word.
    if (event.nativeEvent.isComposing) return;
    if (event.key === "Enter" && !event.shiftKey) {
      event.preventDefault();
      if (code.trim() === "") return;
      onRun(code);
      setHistory(remember(history, code));
      setCode("");
    } else if (event.key === "ArrowUp") recall(event, "older");
    else if (event.key === "ArrowDown") recall(event, "newer");
    else if (event.key === "l" && event.ctrlKey) {
      event.preventDefault();
      onClear();
    }
  }

  return (
    <textarea
      ref={ref}
      className="sandbox-input"
      aria-label="Code to run"
      placeholder="Type JavaScript, Enter runs it"
      rows={Math.min(MAX_ROWS, code.split("\n").length)}
      value={code}
      spellCheck={false}
      autoCapitalize="off"
      autoComplete="off"
      onChange={({ target }) => setCode(target.value)}
      onKeyDown={onKeyDown}
    />
  );
}
