import { useEffect, useRef } from "react";
import { Button } from "../../../parts/button.tsx";
import { Note } from "../../../parts/note.tsx";
import { clockWithSeconds } from "../../../parts/times.ts";
import { languageOf } from "./languages.ts";
import type { FileState } from "./open-file.ts";
import { type Cursor, createTextEditor } from "./text-editor.ts";

type StatusProps = {
  state: FileState;
  cursor: Cursor;
  language: string;
  onSave: () => void;
  onSearch: () => void;
  onPick: () => void;
};

function savedWords({ isDirty, isSaving, savedAt }: FileState): string {
  if (isSaving) return "Saving";
  if (isDirty) return "Unsaved changes";
  return savedAt ? `Saved ${clockWithSeconds(savedAt)}` : "No changes";
}

export function StatusBar({ state, cursor, language, onSave, onSearch, onPick }: StatusProps) {
  return (
    <div className="editor-status">
      <span role="status">{savedWords(state)}</span>
      {state.isDirty && (
        <Button className="editor-tool" look="quiet" size="small" busy={state.isSaving} onClick={onSave}>
          Save
        </Button>
      )}
      <span className="grow" />
      <Button className="editor-tool" look="quiet" size="small" onClick={onPick}>
        Open
      </Button>
      <Button className="editor-tool" look="quiet" size="small" onClick={onSearch}>
        Find
      </Button>
      <span>
        Ln {cursor.line}, Col {cursor.column}
      </span>
      <span>{language}</span>
    </div>
  );
}

/** What somebody else has saved, beside one's own text. */
export function TheirText({ path, text }: { path: string; text: string }) {
  const host = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!host.current) return;
    const editor = createTextEditor({
      ...{ parent: host.current, text, language: languageOf(path), isReadOnly: true },
      ...{ label: `${path}, as saved by somebody else`, description: "Read-only." },
    });
    return () => editor.destroy();
  }, [path, text]);
  return (
    <div className="their-text">
      <p className="their-head">Theirs, as saved</p>
      <div ref={host} className="editor-host" />
    </div>
  );
}

type OtherFileProps = { wanted: string | undefined; onSave: () => void; onDiscard: () => void; onStay: () => void };

/** The panel's state names another file, but this one has unsaved changes. */
export function OtherFileNote({ wanted, onSave, onDiscard, onStay }: OtherFileProps) {
  return (
    <div className="editor-note">
      <Note tone="warn" role="status">
        {wanted === undefined ? "This file should close" : `This panel should show ${wanted}`}, but it has unsaved
        changes.
        <div className="editor-choices">
          <Button size="small" onClick={onSave}>
            Save, then continue
          </Button>
          <Button size="small" look="danger" onClick={onDiscard}>
            Discard my changes
          </Button>
          <Button size="small" onClick={onStay}>
            Stay here
          </Button>
        </div>
      </Note>
    </div>
  );
}

export function FaultNotes({ state, onSave }: { state: FileState; onSave: () => void }) {
  return (
    <>
      {state.isGone && (
        <div className="editor-note">
          <Note tone="warn" role="status">
            Somebody has deleted this file. Its text is still here.
            <div className="editor-choices">
              <Button size="small" onClick={onSave}>
                Save it again
              </Button>
            </div>
          </Note>
        </div>
      )}
      {state.fault !== undefined && (
        <div className="editor-note">
          <Note tone="danger" role="alert">
            {state.fault}
          </Note>
        </div>
      )}
    </>
  );
}
