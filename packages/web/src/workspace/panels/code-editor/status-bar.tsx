import { Button } from "../../../parts/button.tsx";
import { clockWithSeconds } from "../../../parts/times.ts";
import type { FileState } from "./open-file.ts";
import type { Cursor } from "./text-editor.ts";

type Props = {
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

export function StatusBar({ state, cursor, language, onSave, onSearch, onPick }: Props) {
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
