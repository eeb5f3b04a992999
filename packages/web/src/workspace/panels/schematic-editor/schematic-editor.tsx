import "./schematic-editor.css";
import { useEffect, useRef, useState } from "react";
import { faultWords } from "../../../calls/fault-words.ts";
import { Button } from "../../../parts/button.tsx";
import { FaultNote } from "../../../parts/note.tsx";
import type { MountPanel, PanelContext } from "../../panel.ts";
import { writeFile } from "../project-files/file-calls.ts";
import { FilePicker, usePanelPath } from "../project-files/file-picker.tsx";
import { reactPanel } from "../react-panel.tsx";
import { OpenDesign } from "./open-design.tsx";

export const mount: MountPanel = (element, context) =>
  reactPanel(element, <SchematicEditor context={context} />, {
    focus: () => element.querySelector<HTMLElement>("[data-takes-keys], input")?.focus(),
  });

const isSchematic = (path: string): boolean => /\.kicad_sch$/i.test(path);
const EXAMPLE = "example.kicad_sch";

/** A schematic of the project, or the picker for one. */
function SchematicEditor({ context }: { context: PanelContext }) {
  const { wanted, choose } = usePanelPath(context);
  const [isPicking, setPicking] = useState(false);
  const [fault, setFault] = useState<string>();
  /** The keyboard goes to a schematic that was just chosen. */
  const takesFocus = useRef(false);

  useEffect(() => {
    if (wanted === undefined) context.setTitle(undefined);
  }, [context, wanted]);

  const leavePicker = () => {
    takesFocus.current = true;
    setPicking(false);
  };
  const pick = (path: string) => {
    leavePicker();
    if (path !== wanted) choose(path);
  };
  /** Resolves to what went wrong, if anything. A file that is there already is opened. */
  const create = async (typed: string, kind: "empty" | "example"): Promise<string | undefined> => {
    const path = isSchematic(typed) ? typed : `${typed}.kicad_sch`;
    const { emptySheet, exampleSheet } = await import("./new-sheets.ts");
    const text = kind === "example" ? exampleSheet() : emptySheet(crypto.randomUUID());
    const written = await writeFile(context.workspace, path, new TextEncoder().encode(text), "absent");
    if (written.kind === "fault") return faultWords(written.fault);
    pick(path);
    return undefined;
  };

  return (
    <section className="schematic panel-root" aria-label="Schematic editor">
      {wanted !== undefined && (
        <OpenDesign
          key={wanted}
          context={context}
          path={wanted}
          isHidden={isPicking}
          takesFocus={takesFocus}
          onPick={() => setPicking(true)}
        />
      )}
      {(wanted === undefined || isPicking) && (
        <>
          <FilePicker
            project={context.workspace}
            label="Open a schematic"
            accepts={isSchematic}
            nothing="This project has no .kicad_sch files yet. Drop one here, type a name to create one, or look at the example."
            autoFocus={isPicking}
            onPick={pick}
            onCreate={(path) => create(path, "empty")}
            {...(isPicking ? { onCancel: leavePicker } : {})}
          />
          <div className="schematic-example">
            <FaultNote>{fault}</FaultNote>
            <span className="muted">Nothing to open? </span>
            <Button size="small" onClick={() => void create(EXAMPLE, "example").then(setFault)}>
              Open the example
            </Button>
          </div>
        </>
      )}
    </section>
  );
}
