import type { User } from "@backplane/contract/accounts";
import type { CheckedUpload } from "@backplane/contract/registry";
import { useState } from "react";
import { Button } from "../../parts/button.tsx";
import { Note } from "../../parts/note.tsx";
import { State } from "../../parts/state.tsx";
import { counted, sizeWords } from "../words.ts";
import { NoteList } from "./note-list.tsx";
import { OwnerSelect } from "./owner-select.tsx";
import { conflictOf, type Told, verdict, warningsOf } from "./publish-words.ts";

type Props = {
  user: User;
  checked: CheckedUpload;
  fault: Told | undefined;
  /** Without an owner: the caller's own name. */
  onPublish: (owner: string | undefined) => void;
};

/** What the server found in an archive, and the click that publishes it. */
export function CheckResult({ user, checked, fault: refused, onPublish }: Props) {
  const [owner, setOwner] = useState(user.name);
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
            <OwnerSelect user={user} owner={owner} onChoose={setOwner} />
            <div className="row publish-row">
              <Button look="primary" onClick={() => onPublish(owner === user.name ? undefined : owner)}>
                Publish {checked.version}
              </Button>
              <span className="small muted">Its bytes never change afterwards.</span>
            </div>
          </>
        )}
        {!canGo && (
          <p className="dense muted">Nothing was published. Correct the archive, then choose it again above.</p>
        )}
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
            {sizeWords(installSize)}, {counted(files, "file", "files")}
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
