import type { User } from "@backplane/contract/accounts";
import type { CheckedUpload, CheckNote } from "@backplane/contract/registry";
import { useId, useState } from "react";
import { Button } from "../../parts/button.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Note } from "../../parts/note.tsx";
import { OwnerSelect } from "../../parts/owner-select.tsx";
import { State } from "../../parts/state.tsx";
import { counted, sentenceCase } from "../../parts/words.ts";
import { sizeWords } from "../words.ts";
import { conflictOf, errorsOf, type Message, placeOf, verdict, warningsOf } from "./publish-words.ts";
import type { NewPackage } from "./use-publish.ts";

type Props = {
  user: User;
  checked: CheckedUpload;
  fault: Message | undefined;
  onPublish: (choice: NewPackage) => void;
};

/** What the server found in an archive, and the click that publishes it. */
export function CheckResult({ user, checked, fault: refused, onPublish }: Props) {
  const [owner, setOwner] = useState(user.name);
  const [isPrivate, setPrivate] = useState(false);
  const { publishable, notes } = checked;
  const fault = refused ?? conflictOf(checked);
  const canGo = publishable && fault?.final !== true;
  const tone = canGo ? (warningsOf(notes).length > 0 ? "warn" : "ok") : "danger";
  return (
    <section className="card" aria-labelledby="checked">
      <div className="card-head">
        <h2 id="checked">
          <bdi>{checked.name ?? "Check"}</bdi> {checked.version}
        </h2>
        <State tone={tone} word={canGo ? "Ready" : "Refused"} />
      </div>
      <div className="card-body checked">
        <p className="sr" role="status">
          {verdict(checked)}
        </p>
        <CheckedFacts checked={checked} />
        <NoteList notes={notes.filter(({ rule }) => rule !== "version-exists")} />
        {fault && (
          <Note tone="danger" role="alert">
            <strong>{fault.head}</strong> {fault.rest}
          </Note>
        )}
        {canGo && (
          <>
            <OwnerSelect
              user={user}
              owner={owner}
              hint="For a new package only. An existing package keeps its owner."
              onChoose={setOwner}
            />
            <label className="check dense">
              <input type="checkbox" checked={isPrivate} onChange={(event) => setPrivate(event.target.checked)} />
              Private, if the package is new: only its owner sees it, and whoever has a secret address
            </label>
            <div className="row publish-row">
              <Button
                look="primary"
                onClick={() => onPublish({ isPrivate, ...(owner === user.name ? {} : { owner }) })}
              >
                Publish {checked.version}
              </Button>
              <span className="small muted">A published version never changes.</span>
            </div>
          </>
        )}
        {!canGo && <p className="dense muted">Nothing was published. Fix the archive, then choose it again above.</p>}
      </div>
    </section>
  );
}

function CheckedFacts({ checked }: { checked: CheckedUpload }) {
  const { identifier, install_size: installSize, file_count: files } = checked;
  return (
    <dl className="facts">
      {identifier !== undefined && (
        <>
          <dt>Identifier</dt>
          <dd>
            <code>{identifier}</code>
          </dd>
        </>
      )}
      <dt>Archive</dt>
      <dd>{sizeWords(checked.download_size)}</dd>
      {installSize !== undefined && files !== undefined && (
        <>
          <dt>Installed</dt>
          <dd>
            {sizeWords(installSize)}, {counted(files, "file")}
          </dd>
        </>
      )}
      <dt>sha256</dt>
      <dd>
        <code>{checked.download_sha256}</code>
      </dd>
    </dl>
  );
}

/** What a check found: errors first, then warnings. */
export function NoteList({ notes }: { notes: readonly CheckNote[] }) {
  const errors = errorsOf(notes);
  const warnings = warningsOf(notes);
  return (
    <>
      {errors.length > 0 && <Group tone="danger" title={counted(errors.length, "error")} notes={errors} />}
      {warnings.length > 0 && <Group tone="warn" title={counted(warnings.length, "warning")} notes={warnings} />}
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
                    Suggestion: <code>{note.fix}</code>
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
