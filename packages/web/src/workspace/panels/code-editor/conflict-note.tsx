import { Button } from "../../../parts/button.tsx";
import { Note } from "../../../parts/note.tsx";

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
