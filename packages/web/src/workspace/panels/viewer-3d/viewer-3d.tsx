import "./viewer-3d.css";
import { type DragEvent, useCallback, useEffect, useRef, useState } from "react";
import { faultWords } from "../../../calls/fault-words.ts";
import { Button } from "../../../parts/button.tsx";
import { Note } from "../../../parts/note.tsx";
import type { WorkspaceName } from "../../calls.ts";
import type { MountPanel, PanelContext } from "../../panel.ts";
import { readFile } from "../project-files/file-calls.ts";
import { FilePicker, usePanelPath } from "../project-files/file-picker.tsx";
import { nameOf, sizeWords } from "../project-files/paths.ts";
import { reactPanel } from "../react-panel.tsx";
import { ModelFault } from "./gltf-resources.ts";
import { loadModel, type Model } from "./load-model.ts";
import { isModel, kindOf, MAX_MODEL_BYTES } from "./measures.ts";
import { ModelView } from "./model-view.tsx";

export const mount: MountPanel = (element, context) =>
  reactPanel(element, <Viewer3d context={context} />, {
    focus: () => element.querySelector<HTMLElement>("[data-takes-keys], input")?.focus(),
  });

/** A model of the project, a model that was dropped here, or the picker for one. */
function Viewer3d({ context }: { context: PanelContext }) {
  const { wanted, choose } = usePanelPath(context);
  const { shown, drop, reload } = useModel(context.workspace, wanted);
  const [isPicking, setPicking] = useState(false);
  const [isOver, setOver] = useState(false);
  /** The keyboard goes to a model that was just chosen. */
  const takesFocus = useRef(false);
  const showsPicker = shown.phase === "none" || isPicking;

  useEffect(() => context.setTitle(shown.phase === "none" ? undefined : shown.name), [context, shown]);

  const leavePicker = () => {
    takesFocus.current = true;
    setPicking(false);
  };
  const pick = (path: string) => {
    leavePicker();
    // The same file again: another model may have been dropped here, or the file saved again.
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
          nothing="This project has no STL, GLB or glTF files yet. Drop one here."
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

type ShownModel =
  | { phase: "none" }
  | { phase: "loading"; name: string }
  | { phase: "shown"; name: string; model: Model; isDropped: boolean }
  | { phase: "refused"; name: string; why: string };

const NO_MODEL = "Only STL, GLB and glTF files can be shown here.";
const tooLarge = (size: number): string => `It is ${sizeWords(size)}. The limit is ${sizeWords(MAX_MODEL_BYTES)}.`;

/** The model that the panel's state names, or one that was dropped here and stays in this browser. */
function useModel({ owner, repo }: WorkspaceName, path: string | undefined) {
  const [shown, setShown] = useState<ShownModel>({ phase: "none" });
  const [reads, setReads] = useState(0);
  const turn = useRef(0);

  const show = useCallback(
    async (name: string, from: string | undefined, read: () => Promise<Uint8Array<ArrayBuffer> | string>) => {
      turn.current += 1;
      const mine = turn.current;
      const set = (next: ShownModel) => {
        if (mine === turn.current) setShown(next);
      };
      set({ phase: "loading", name });
      const kind = kindOf(name);
      try {
        const bytes = kind ? await read() : NO_MODEL;
        if (typeof bytes === "string" || !kind) return set({ phase: "refused", name, why: String(bytes) });
        const model = await loadModel({ kind, bytes, project: { owner, repo }, path: from });
        set({ phase: "shown", name, model, isDropped: from === undefined });
      } catch (error) {
        set({ phase: "refused", name, why: error instanceof ModelFault ? error.message : "It cannot be read." });
      }
    },
    [owner, repo],
  );

  // biome-ignore lint/correctness/useExhaustiveDependencies: `reads` counts how often to read
  useEffect(() => {
    if (path === undefined) {
      turn.current += 1;
      setShown({ phase: "none" });
      return;
    }
    void show(nameOf(path), path, async () => {
      const answer = await readFile({ owner, repo }, path, { maxBytes: MAX_MODEL_BYTES });
      if (answer.kind === "read") return answer.bytes;
      if (answer.kind === "too-large") return tooLarge(answer.size);
      return answer.kind === "fault" ? faultWords(answer.fault) : "It is not in the project.";
    });
  }, [owner, repo, path, show, reads]);

  const drop = useCallback(
    (file: File) =>
      show(file.name, undefined, async () =>
        file.size > MAX_MODEL_BYTES ? tooLarge(file.size) : new Uint8Array(await file.arrayBuffer()),
      ),
    [show],
  );
  const reload = useCallback(() => setReads((times) => times + 1), []);
  return { shown, drop, reload };
}
