import { type DragEvent, useEffect, useRef, useState } from "react";
import { Button } from "../../../parts/button.tsx";
import { Note } from "../../../parts/note.tsx";
import type { PanelContext } from "../../panel.ts";
import { FilePicker } from "../project-files/file-picker.tsx";
import "../panel-tools.css";
import { usePanelPath } from "../project-files/use-panel-path.ts";
import { isModel } from "./model-kind.ts";
import { ModelView } from "./model-view.tsx";
import { type ShownModel, useModel } from "./use-model.ts";
import "./viewer-3d.css";

/** A model of the project, or one that is dropped here; or the choice of one. */
export function Viewer3d({ context }: { context: PanelContext }) {
  const { wanted, choose } = usePanelPath(context);
  const { shown, drop, reload } = useModel(context.workspace, wanted);
  const [isPicking, setPicking] = useState(false);
  const [isOver, setOver] = useState(false);
  /** Whoever has just chosen a model goes on with it. */
  const takesFocus = useRef(false);
  const showsPicker = shown.phase === "none" || isPicking;

  useEffect(() => context.setTitle(shown.phase === "none" ? undefined : shown.name), [context, shown]);

  const leavePicker = () => {
    takesFocus.current = true;
    setPicking(false);
  };
  const pick = (path: string) => {
    leavePicker();
    // The same one again: it may have been dropped over, or saved anew.
    if (path === wanted) reload();
    else choose(path);
  };
  const onDrop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    const [file] = event.dataTransfer.files;
    setPicking(false);
    if (file) void drop(file);
  };
  const onDragOver = (event: DragEvent) => {
    if (!event.dataTransfer.types.includes("Files")) return;
    event.preventDefault();
    setOver(true);
  };

  return (
    <section
      className={isOver ? "viewer-3d is-over" : "viewer-3d"}
      aria-label="3D viewer"
      onDragOver={onDragOver}
      onDragLeave={() => setOver(false)}
      onDrop={onDrop}
    >
      {shown.phase === "shown" && (
        <ModelView
          model={shown.model}
          name={shown.name}
          isDropped={shown.isDropped}
          isHidden={isPicking}
          takesFocus={takesFocus}
          onPick={() => setPicking(true)}
        />
      )}
      {!isPicking && <Waiting shown={shown} onAgain={reload} onPick={() => setPicking(true)} />}
      {showsPicker && (
        <FilePicker
          project={context.workspace}
          label="Open a model"
          accepts={isModel}
          nothing="This project has no STL, GLB or glTF file yet. Drop one here to look at it."
          autoFocus={isPicking}
          onPick={pick}
          {...(isPicking ? { onCancel: leavePicker } : {})}
        />
      )}
    </section>
  );
}

function Waiting({ shown, onAgain, onPick }: { shown: ShownModel; onAgain: () => void; onPick: () => void }) {
  if (shown.phase === "loading") {
    return (
      <p className="viewer-wait" role="status">
        Loading {shown.name}
      </p>
    );
  }
  if (shown.phase !== "refused") return null;
  return (
    <div className="viewer-refused">
      <Note tone="danger" role="alert">
        {shown.name} is not shown. {shown.why}
        <div className="viewer-choices">
          <Button size="small" onClick={onAgain}>
            Try again
          </Button>
          <Button size="small" onClick={onPick}>
            Open another model
          </Button>
        </div>
      </Note>
    </div>
  );
}
