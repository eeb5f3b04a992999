import type { CheckNote } from "@backplane/contract/registry";
import { useId } from "react";
import { Icon } from "../../parts/icon.tsx";
import { counted, sentenceCase } from "../words.ts";
import { errorsOf, placeOf, warningsOf } from "./publish-words.ts";

/** What a check found: what stops it first, then what may be wrong. */
export function NoteList({ notes }: { notes: readonly CheckNote[] }) {
  const errors = errorsOf(notes);
  const warnings = warningsOf(notes);
  return (
    <>
      {errors.length > 0 && <Group tone="danger" title={counted(errors.length, "error", "errors")} notes={errors} />}
      {warnings.length > 0 && (
        <Group tone="warn" title={counted(warnings.length, "warning", "warnings")} notes={warnings} />
      )}
    </>
  );
}

type GroupProps = { tone: "danger" | "warn"; title: string; notes: readonly CheckNote[] };

function Group({ tone, title, notes }: GroupProps) {
  const titleId = useId();
  return (
    <section className={`found-notes ${tone}`} aria-labelledby={titleId}>
      <h3 id={titleId}>{title}</h3>
      <ul>
        {notes.map((note, place) => {
          const where = placeOf(note);
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: one rule may find the same twice; they never move
            <li key={place}>
              <Icon name={tone === "danger" ? "denied" : "warning"} />
              <div>
                <p>{sentenceCase(note.message)}</p>
                {note.fix !== undefined && (
                  <p className="muted">
                    Likely right: <code>{note.fix}</code>
                  </p>
                )}
                <p className="note-place">
                  {where !== "" && <code>{where}</code>} <span>{note.rule}</span>
                </p>
              </div>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
