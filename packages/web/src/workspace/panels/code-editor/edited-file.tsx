import { PANELS_LIMITS } from "@backplane/contract/panels";
import { useCallback, useEffect, useRef, useState, useSyncExternalStore } from "react";
import { Button } from "../../../parts/button.tsx";
import { Note } from "../../../parts/note.tsx";
import type { PanelContext } from "../../panel.ts";
import { readFile, writeFile } from "../project-files/file-calls.ts";
import { nameOf } from "../project-files/paths.ts";
import { keepDraft, takeDraft } from "./drafts.ts";
import { ConflictNote, StatusBar, TheirText } from "./editor-notes.tsx";
import { languageOf } from "./languages.ts";
import { type FileState, type OpenFile, openFile } from "./open-file.ts";
import { type Cursor, createTextEditor, type TextEditor } from "./text-editor.ts";

const KEYS = "Tab indents. Press Escape, then Tab, to leave the editor. Control S saves, Control F searches.";

type Props = {
  context: PanelContext;
  path: string;
  /** Another path: the panel's state names another file, which waits for this one. */
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
  const { context, path, wanted, isHidden, focus, takesFocus, onDirty, onPick, onLeave, onStay } = props;
  const { workspace } = context;
  const [file] = useState(() =>
    openFile(
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
  const editor = useRef<TextEditor>(undefined);
  const isDiscarded = useRef(false);
  const isOpen = state.phase === "open";
  const hasWaiting = wanted !== path;
  const isShared = state.conflict !== undefined && isComparing;

  useFollow(file, context);

  const keep = useCallback(
    async (way: "save" | "keepMine"): Promise<boolean> => {
      const doc = editor.current?.snapshot();
      if (!doc || !(await file[way](doc.toString()))) return false;
      editor.current?.markSaved(doc);
      file.touched(editor.current?.isDirty() ?? false);
      return true;
    },
    [file],
  );

  const shown = state.shown;
  useEffect(() => {
    if (!isOpen || !host.current) return;
    if (editor.current) {
      editor.current.show(shown.text);
      return;
    }
    editor.current = createTextEditor({
      ...{ parent: host.current, text: shown.text, language: languageOf(path), label: path, description: KEYS },
      onChange: () => file.touched(editor.current?.isDirty() ?? false),
      onCursor: setCursor,
      onSave: () => void keep("save"),
    });
    const { line } = context.state();
    if (typeof line === "number") editor.current.goTo(line);
    const draft = takeDraft(window.sessionStorage, context.tabId, path);
    if (draft && draft.text !== shown.text) {
      editor.current.type(draft.text);
      file.restored(draft.etag);
    }
  }, [isOpen, shown, path, file, keep, context]);

  useEffect(
    () => () => {
      const { current } = editor;
      if (current?.isDirty() && !isDiscarded.current) {
        const draft = { tabId: context.tabId, path, text: current.text(), etag: file.etag() };
        keepDraft(window.sessionStorage, draft);
      }
      current?.destroy();
    },
    [context, path, file],
  );

  useEffect(() => {
    let before = context.state().line;
    return context.onState(({ line, path: at }) => {
      if (typeof line === "number" && line !== before && at === path) editor.current?.goTo(line);
      before = line;
    });
  }, [context, path]);

  useEffect(() => {
    context.setTitle(`${state.isDirty ? "● " : ""}${nameOf(path)}`);
    onDirty(state.isDirty);
    if (!state.isDirty) return;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener("beforeunload", warn);
    return () => window.removeEventListener("beforeunload", warn);
  }, [context, path, state.isDirty, onDirty]);

  useEffect(() => {
    if (isHidden) return;
    focus.current = () => editor.current?.focus();
    if (!isOpen || !takesFocus.current) return;
    takesFocus.current = false;
    editor.current?.focus();
  }, [focus, takesFocus, isHidden, isOpen]);

  const act = (work: () => unknown) => () => {
    void work();
    editor.current?.focus();
  };

  return (
    <div className="edited-file" hidden={isHidden}>
      {isOpen && hasWaiting && (
        <div className="editor-note">
          <Note tone="warn" role="status">
            Another file is to be shown here: {wanted ?? "none"}. This one has unsaved changes.
            <div className="editor-choices">
              <Button size="small" onClick={async () => (await keep("save")) && onLeave()}>
                Save, then show it
              </Button>
              <Button
                size="small"
                look="danger"
                onClick={() => {
                  isDiscarded.current = true;
                  onLeave();
                }}
              >
                Discard my changes
              </Button>
              <Button size="small" onClick={act(onStay)}>
                Stay here
              </Button>
            </div>
          </Note>
        </div>
      )}
      {state.conflict && (
        <ConflictNote
          isGone={state.conflict.text === undefined}
          isComparing={isComparing}
          onTheirs={act(file.takeTheirs)}
          onMine={act(() => keep("keepMine"))}
          onCompare={() => setComparing(!isComparing)}
        />
      )}
      {isOpen && <Troubles state={state} onSave={act(() => keep("save"))} />}
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
      <div className={isShared ? "editor-panes two" : "editor-panes"} hidden={!isOpen}>
        <div ref={host} className="editor-host" />
        {isShared && <TheirText path={path} text={state.conflict?.text ?? ""} />}
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

function Troubles({ state, onSave }: { state: FileState; onSave: () => void }) {
  return (
    <>
      {state.isGone && (
        <div className="editor-note">
          <Note tone="warn" role="status">
            Somebody has deleted this file. Its text is still here.
            <div className="editor-choices">
              <Button size="small" onClick={onSave}>
                Make it anew
              </Button>
            </div>
          </Note>
        </div>
      )}
      {state.fault !== undefined && (
        <div className="editor-note">
          <Note tone="danger" role="alert">
            {state.fault}
          </Note>
        </div>
      )}
    </>
  );
}

/** How often a file that is in sight is asked for: what others than the server change is in no log. */
const FOLLOW_MS = 10_000;

/** Reads the file, and follows what others save while somebody can see it. */
function useFollow(file: OpenFile, { onLog, onReconnect }: Pick<PanelContext, "onLog" | "onReconnect">): void {
  useEffect(() => {
    void file.load();
    const look = () => {
      if (document.visibilityState === "visible") void file.check();
    };
    const timer = setInterval(look, FOLLOW_MS);
    const ends = [
      onLog((entries) => {
        if (entries.some(({ source }) => source === "files")) look();
      }),
      onReconnect(look),
    ];
    window.addEventListener("focus", look);
    return () => {
      clearInterval(timer);
      for (const end of ends) end();
      window.removeEventListener("focus", look);
    };
  }, [file, onLog, onReconnect]);
}
