import { findText, replaceText, type TextQuery } from "@backplane/kicad/design-edits";
import { useState, useSyncExternalStore } from "react";
import { Button } from "../../../parts/button.tsx";
import type { Session } from "./session.ts";

/** Replaces what was typed to find it, in all texts of the design: references, fields, labels, texts, pins of sheets. */
export function ReplaceText({ session, typed }: { session: Session; typed: string }) {
  const { design } = useSyncExternalStore(session.subscribe, session.state);
  const [next, setNext] = useState("");
  const [how, setHow] = useState({ matchCase: false, wholeWord: false });
  const query: TextQuery = { text: typed.trim(), ...how };
  const count = design ? findText(design, query).length : 0;
  const replace = () => {
    session.say(undefined);
    const isDone = session.editFiles((all) => replaceText(all, query, next).changes);
    if (isDone) session.say(`${count} ${count === 1 ? "text" : "texts"} replaced`);
  };
  return (
    <div className="schematic-replace">
      <div className="input">
        <input
          aria-label="Replace with"
          placeholder="Replace with"
          autoComplete="off"
          spellCheck={false}
          maxLength={200}
          value={next}
          onChange={({ target }) => setNext(target.value)}
          onKeyDown={(event) => {
            if (event.key !== "Enter" || count === 0) return;
            event.preventDefault();
            replace();
          }}
        />
      </div>
      <div className="schematic-replace-how">
        {(
          [
            ["matchCase", "Match case"],
            ["wholeWord", "Whole word"],
          ] as const
        ).map(([key, words]) => (
          <label key={key}>
            <input type="checkbox" checked={how[key]} onChange={() => setHow({ ...how, [key]: !how[key] })} />
            {words}
          </label>
        ))}
        <span className="grow" />
        <Button size="small" disabled={count === 0} onClick={replace}>
          Replace all {count}
        </Button>
      </div>
    </div>
  );
}
