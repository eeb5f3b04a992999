import "./code-editor.css";
import { useCallback, useEffect, useRef, useState } from "react";
import { faultWords } from "../../../calls/fault-words.ts";
import type { MountPanel, PanelContext } from "../../panel.ts";
import { writeFile } from "../project-files/file-calls.ts";
import { FilePicker, usePanelPath } from "../project-files/file-picker.tsx";
import { reactPanel } from "../react-panel.tsx";
import { EditedFile } from "./edited-file.tsx";

export const mount: MountPanel = (element, context) => {
  const focus = { current: () => {} };
  return reactPanel(element, <CodeEditor context={context} focus={focus} />, { focus: () => focus.current() });
};

type Props = { context: PanelContext; focus: { current: () => void } };

/** One file of the project, or the picker for one. */
function CodeEditor({ context, focus }: Props) {
  const { wanted, choose } = usePanelPath(context);
  const [opened, setOpened] = useState(wanted);
  const [isPicking, setPicking] = useState(false);
  const isDirty = useRef(false);
  const latest = useRef(wanted);
  /** The keyboard goes into a file that was just chosen. */
  const takesFocus = useRef(false);
  const panel = useRef<HTMLDivElement>(null);

  // Unsaved changes stay visible: another file waits until they are saved or discarded.
  useEffect(() => {
    latest.current = wanted;
    if (!isDirty.current) setOpened(wanted);
  }, [wanted]);

  const showsPicker = opened === undefined || isPicking;
  useEffect(() => {
    if (opened === undefined) context.setTitle(undefined);
    if (showsPicker) focus.current = () => panel.current?.querySelector("input")?.focus();
  }, [context, focus, opened, showsPicker]);

  const onDirty = useCallback((is: boolean) => {
    isDirty.current = is;
    if (!is) setOpened(latest.current);
  }, []);

  const leavePicker = () => {
    takesFocus.current = true;
    setPicking(false);
  };

  const pick = (path: string) => {
    leavePicker();
    if (path === opened) return;
    if (isDirty.current) void context.open("code-editor", { path });
    else choose(path);
  };

  const create = async (path: string): Promise<string | undefined> => {
    const written = await writeFile(context.workspace, path, new Uint8Array(), "absent");
    if (written.kind === "fault") return faultWords(written.fault);
    if (written.kind === "changed") return "A file with this name already exists. Open it instead.";
    pick(path);
    return undefined;
  };

  return (
    <div ref={panel} className="code-editor">
      {opened !== undefined && (
        <EditedFile
          key={opened}
          context={context}
          path={opened}
          wanted={wanted}
          isHidden={isPicking}
          focus={focus}
          takesFocus={takesFocus}
          onDirty={onDirty}
          onPick={() => setPicking(true)}
          onLeave={() => setOpened(wanted)}
          onStay={() => choose(opened)}
        />
      )}
      {showsPicker && (
        <FilePicker
          project={context.workspace}
          label="Open a file"
          nothing="This project has no files yet. Type a name to create one, or drop files here."
          autoFocus={isPicking}
          onPick={pick}
          onCreate={create}
          {...(isPicking ? { onCancel: leavePicker } : {})}
        />
      )}
    </div>
  );
}
