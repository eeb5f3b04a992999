import { PANELS_LIMITS } from "@backplane/contract/panels";
import { type RefObject, useCallback, useEffect, useRef, useState, useSyncExternalStore } from "react";
import { Button } from "../../../parts/button.tsx";
import type { PanelContext } from "../../panel.ts";
import { readFile, writeFile } from "../project-files/file-calls.ts";
import { nameOf } from "../project-files/paths.ts";
import { useFollowFiles } from "../project-files/use-follow-files.ts";
import { ConflictNote } from "./conflict-note.tsx";
import { FaultNotes, OtherFileNote, StatusBar, TheirText } from "./editor-notes.tsx";
import { languageOf } from "./languages.ts";
import { OpenFile } from "./open-file.ts";
import type { Cursor, TextEditor } from "./text-editor.ts";
import { useTextEditor } from "./use-text-editor.ts";

type Props = {
  context: PanelContext;
  path: string;
  /** The file that the panel's state names. If it is another one, it waits until this one is saved or discarded. */
  wanted: string | undefined;
  isHidden: boolean;
  focus: { current: () => void };
  takesFocus: { current: boolean };
  onDirty: (isDirty: boolean) => void;
  onPick: () => void;
  onLeave: () => void;
  onStay: () => void;
};

export function EditedFile(props: Props) {
  const { context, path, wanted, isHidden, onPick, onLeave } = props;
  const { workspace } = context;
  const [file] = useState(
    () =>
      new OpenFile(
        {
          read: (knownEtag) => readFile(workspace, path, { maxBytes: PANELS_LIMITS.maxTextFileBytes, knownEtag }),
          write: (bytes, expected) => writeFile(workspace, path, bytes, expected),
        },
        () => new Date(),
      ),
  );
  const state = useSyncExternalStore(file.subscribe, file.state);
  const [cursor, setCursor] = useState<Cursor>({ line: 1, column: 1 });
  const [isComparing, setComparing] = useState(false);
  const host = useRef<HTMLDivElement>(null);
  const { editor, keep, discard } = useTextEditor({ context, path, file, state, host, onCursor: setCursor });
  const isOpen = state.phase === "open";
  const showsTheirs = state.conflict !== undefined && isComparing;

  useFollowFile(file, context);
  useTitle(props, state.isDirty);
  useEditorFocus(props, editor, isOpen);

  /** Afterwards the keyboard goes back to the text. */
  const act = (work: () => unknown) => () => {
    void work();
    editor.current?.focus();
  };

  return (
    <div className="edited-file" hidden={isHidden}>
      {isOpen && wanted !== path && (
        <OtherFileNote
          wanted={wanted}
          onSave={async () => (await keep("save")) && onLeave()}
          onDiscard={() => {
            discard();
            onLeave();
          }}
          onStay={act(props.onStay)}
        />
      )}
      {state.conflict && (
        <ConflictNote
          isGone={state.conflict.text === undefined}
          isComparing={isComparing}
          onTheirs={act(() => file.takeTheirs())}
          onMine={act(() => keep("keepMine"))}
          onCompare={() => setComparing(!isComparing)}
        />
      )}
      {isOpen && <FaultNotes state={state} onSave={act(() => keep("save"))} />}
      {state.phase === "refused" && (
        <div className="empty editor-refused">
          <h3>{nameOf(path)} is not shown</h3>
          <p>{state.fault}</p>
          <div className="editor-choices">
            <Button onClick={() => void file.load()}>Try again</Button>
            <Button onClick={onPick}>Open another file</Button>
          </div>
        </div>
      )}
      <div className={showsTheirs ? "editor-panes two" : "editor-panes"} hidden={!isOpen}>
        <div ref={host} className="editor-host" />
        {showsTheirs && <TheirText path={path} text={state.conflict?.text ?? ""} />}
      </div>
      {isOpen && (
        <StatusBar
          state={state}
          cursor={cursor}
          language={languageOf(path).name}
          onSave={act(() => keep("save"))}
          onSearch={() => editor.current?.search()}
          onPick={onPick}
        />
      )}
    </div>
  );
}

/** The tab marks unsaved changes, and the browser warns before it leaves the page with them. */
function useTitle({ context, path, onDirty }: Props, isDirty: boolean): void {
  useEffect(() => {
    context.setTitle(`${isDirty ? "● " : ""}${nameOf(path)}`);
    onDirty(isDirty);
    if (!isDirty) return;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener("beforeunload", warn);
    return () => window.removeEventListener("beforeunload", warn);
  }, [context, path, isDirty, onDirty]);
}

function useEditorFocus(props: Props, editor: RefObject<TextEditor | undefined>, isOpen: boolean): void {
  const { focus, takesFocus, isHidden } = props;
  useEffect(() => {
    if (isHidden) return;
    focus.current = () => editor.current?.focus();
    if (!isOpen || !takesFocus.current) return;
    takesFocus.current = false;
    editor.current?.focus();
  }, [focus, takesFocus, isHidden, isOpen, editor]);
}

/** Loads the file, and follows what others save while the page is visible. */
function useFollowFile(file: OpenFile, context: Pick<PanelContext, "onLog" | "onReconnect">): void {
  const check = useCallback(() => void file.check(), [file]);
  useEffect(() => void file.load(), [file]);
  useFollowFiles(check, context);
}
