import "./code-editor.css";
import { useCallback, useEffect, useRef, useState } from "react";
import { createRoot } from "react-dom/client";
import { faultWords } from "../../../calls/fault-words.ts";
import type { MountPanel, PanelContext } from "../../panel.ts";
import { writeFile } from "../project-files/file-calls.ts";
import { FilePicker, usePanelPath } from "../project-files/file-picker.tsx";
import { EditedFile } from "./edited-file.tsx";

export const mount: MountPanel = (element, context) => {
  const root = createRoot(element);
  const focus = { current: () => {} };
  root.render(<CodeEditor context={context} focus={focus} />);
  return {
    focus: () => focus.current(),
    // Not in the midst of another root's work.
    dispose: () => queueMicrotask(() => root.unmount()),
  };
};

type Props = { context: PanelContext; focus: { current: () => void } };

/** One file of the project, or the choice of one. */
function CodeEditor({ context, focus }: Props) {
  const { wanted, choose } = usePanelPath(context);
  const [opened, setOpened] = useState(wanted);
  const [isPicking, setPicking] = useState(false);
  const isDirty = useRef(false);
  const latest = useRef(wanted);
  /** Whoever has just chosen a file goes on in it. */
  const takesFocus = useRef(false);
  const panel = useRef<HTMLDivElement>(null);

  // What is not saved stays in sight: another file comes when that is settled.
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
    if (written.kind === "changed") return "There is a file of this name already. Open it instead.";
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
          nothing="This project has no file yet. Type a name to make one."
          autoFocus={isPicking}
          onPick={pick}
          onCreate={create}
          {...(isPicking ? { onCancel: leavePicker } : {})}
        />
      )}
    </div>
  );
}
