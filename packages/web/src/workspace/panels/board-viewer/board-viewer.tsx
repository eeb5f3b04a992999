import "./board-viewer.css";
import { useEffect, useRef, useState } from "react";
import { faultWords } from "../../../calls/fault-words.ts";
import { Button } from "../../../parts/button.tsx";
import { FaultNote } from "../../../parts/note.tsx";
import type { MountPanel, PanelContext } from "../../panel.ts";
import { writeFile } from "../project-files/file-calls.ts";
import { FilePicker, usePanelPath } from "../project-files/file-picker.tsx";
import { nameOf } from "../project-files/paths.ts";
import { reactPanel } from "../react-panel.tsx";
import { BoardView } from "./board-view.tsx";
import { exampleBoard } from "./example-board.ts";
import { useBoard } from "./use-board.ts";

export const mount: MountPanel = (element, context) =>
  reactPanel(element, <BoardViewer context={context} />, {
    focus: () => element.querySelector<HTMLElement>("[data-takes-keys], input")?.focus(),
  });

const isBoard = (path: string): boolean => /\.kicad_pcb$/i.test(path);
const EXAMPLE = "example.kicad_pcb";

/** A board of the project, or the picker for one. */
function BoardViewer({ context }: { context: PanelContext }) {
  const { wanted, choose } = usePanelPath(context);
  const [isPicking, setPicking] = useState(false);
  const [fault, setFault] = useState<string>();
  /** The keyboard goes to a board that was just chosen. */
  const takesFocus = useRef(false);

  useEffect(() => context.setTitle(wanted === undefined ? undefined : nameOf(wanted)), [context, wanted]);

  const pick = (path: string) => {
    takesFocus.current = true;
    setPicking(false);
    if (path === wanted) return;
    choose(path);
    // What was picked on another board is not on this one.
    void context.setState({ net: null, part: null, layers: null }).catch(() => {});
  };
  /** An example that is there already is opened. */
  const openExample = async () => {
    const written = await writeFile(context.workspace, EXAMPLE, new TextEncoder().encode(exampleBoard()), "absent");
    setFault(written.kind === "fault" ? faultWords(written.fault) : undefined);
    if (written.kind !== "fault") pick(EXAMPLE);
  };

  return (
    <section className="board panel-root" aria-label="3D viewer for boards">
      {wanted !== undefined && (
        <OneBoard
          key={wanted}
          {...{ context, path: wanted, isHidden: isPicking, takesFocus }}
          onPick={() => setPicking(true)}
        />
      )}
      {(wanted === undefined || isPicking) && (
        <>
          <FilePicker
            {...{ project: context.workspace, label: "Open a board", accepts: isBoard }}
            nothing="This project has no .kicad_pcb files yet. Drop one here, or look at the example."
            autoFocus={isPicking}
            onPick={pick}
            {...(isPicking ? { onCancel: () => setPicking(false) } : {})}
          />
          <div className="board-example">
            <FaultNote>{fault}</FaultNote>
            <span className="muted">Nothing to open? </span>
            <Button size="small" onClick={() => void openExample()}>
              Open the example
            </Button>
          </div>
        </>
      )}
    </section>
  );
}

type OneProps = {
  context: PanelContext;
  path: string;
  isHidden: boolean;
  takesFocus: { current: boolean };
  onPick: () => void;
};

function OneBoard({ context, path, isHidden, takesFocus, onPick }: OneProps) {
  const { shown, reload } = useBoard(context, path);
  const name = nameOf(path);
  if (shown.phase === "loading") {
    return (
      <p className="board-wait" role="status" hidden={isHidden}>
        Loading {name}
      </p>
    );
  }
  if (shown.phase === "refused") {
    return (
      <div className="panel-message" hidden={isHidden}>
        <h3>{name} is not shown</h3>
        <p role="alert">{shown.why}</p>
        <div className="row">
          <Button onClick={reload}>Try again</Button>
          <Button onClick={onPick}>Open another board</Button>
        </div>
      </div>
    );
  }
  return <BoardView {...{ context, path, open: shown, isHidden, takesFocus, onPick }} />;
}
