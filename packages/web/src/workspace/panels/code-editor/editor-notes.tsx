import { useEffect, useRef } from "react";
import { Button } from "../../../parts/button.tsx";
import { Note } from "../../../parts/note.tsx";
import { clockWithSeconds } from "../../../parts/times.ts";
import { languageOf } from "./languages.ts";
import type { FileState } from "./open-file.ts";
import { type Cursor, createTextEditor } from "./text-editor.ts";

type Props = {
  /** They deleted it instead of saving another text. */
  isGone: boolean;
  isComparing: boolean;
  onTheirs: () => void;
  onMine: () => void;
  onCompare: () => void;
};

/** Two have changed one file: nothing is saved until somebody who sees it has chosen. */
export function ConflictNote({ isGone, isComparing, onTheirs, onMine, onCompare }: Props) {
  return (
    <div className="editor-note">
      <Note tone="warn" role="alert">
        {isGone
          ? "Somebody has deleted this file while you changed it. Nothing of yours is saved."
          : "Somebody else has saved this file while you changed it. Nothing of yours is saved yet."}
        <div className="editor-choices">
          <Button size="small" onClick={onTheirs}>
            {isGone ? "Discard mine" : "Load theirs"}
          </Button>
          <Button size="small" onClick={onMine}>
            Keep mine
          </Button>
          {!isGone && (
            <Button size="small" look="quiet" onClick={onCompare}>
              {isComparing ? "Show mine only" : "Show both"}
            </Button>
          )}
        </div>
      </Note>
    </div>
  );
}

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

/** What somebody else has saved, to be read beside one's own. */
export function TheirText({ path, text }: { path: string; text: string }) {
  const host = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!host.current) return;
    const editor = createTextEditor({
      ...{ parent: host.current, text, language: languageOf(path), isReadOnly: true },
      ...{ label: `${path}, as saved by somebody else`, description: "Can be read only." },
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
