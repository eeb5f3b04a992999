import "./conflict-note.css";
import { Button } from "../../../parts/button.tsx";
import { Note } from "../../../parts/note.tsx";

type ConflictProps = {
  /** Of several files, which one. */
  what?: string;
  /** Somebody deleted the file instead of saving another text. */
  isGone: boolean;
  isComparing?: boolean;
  onTheirs: () => void;
  onMine: () => void;
  /** Without it, the two texts cannot be compared here. */
  onCompare?: () => void;
};

export function ConflictNote({ what = "this file", isGone, isComparing, onTheirs, onMine, onCompare }: ConflictProps) {
  return (
    <div className="editor-note">
      <Note tone="warn" role="alert">
        {isGone
          ? `Somebody has deleted ${what} while you were editing it. Your changes are not saved.`
          : `Somebody else has saved ${what} while you were editing it. Your changes are not saved yet.`}
        <div className="editor-choices">
          <Button size="small" onClick={onTheirs}>
            {isGone ? "Discard mine" : "Load theirs"}
          </Button>
          <Button size="small" onClick={onMine}>
            Keep mine
          </Button>
          {!isGone && onCompare && (
            <Button size="small" look="quiet" onClick={onCompare}>
              {isComparing ? "Show mine only" : "Show both"}
            </Button>
          )}
        </div>
      </Note>
    </div>
  );
}
