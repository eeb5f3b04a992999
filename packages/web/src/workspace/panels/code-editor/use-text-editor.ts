import { type RefObject, useCallback, useEffect, useRef } from "react";
import type { PanelContext } from "../../panel.ts";
import { keepDraft, takeDraft } from "./drafts.ts";
import { languageOf } from "./languages.ts";
import type { FileState, OpenFile } from "./open-file.ts";
import { type Cursor, createTextEditor, type TextEditor } from "./text-editor.ts";

const KEYS = "Tab indents. Press Escape, then Tab, to leave the editor. Control S saves, Control F searches.";

type Options = {
  context: PanelContext;
  path: string;
  file: OpenFile;
  state: FileState;
  host: RefObject<HTMLElement | null>;
  onCursor: (cursor: Cursor) => void;
};

/** The editor of a file: shows its text, restores and keeps drafts, and goes to the line that the panel's state names. */
export function useTextEditor({ context, path, file, state, host, onCursor }: Options) {
  const editor = useRef<TextEditor>(undefined);
  const isDiscarded = useRef(false);

  /** Saves the text. True when exactly this text is saved. */
  const keep = useCallback(
    async (way: "save" | "keepMine"): Promise<boolean> => {
      const doc = editor.current?.snapshot();
      if (!doc || !(await file[way](doc.toString()))) return false;
      editor.current?.markSaved(doc);
      file.setDirty(editor.current?.isDirty() ?? false);
      return true;
    },
    [file],
  );

  const isOpen = state.phase === "open";
  const { shown } = state;
  useEffect(() => {
    if (!isOpen || !host.current) return;
    if (editor.current) {
      editor.current.show(shown.text);
      return;
    }
    editor.current = createTextEditor({
      ...{ parent: host.current, text: shown.text, language: languageOf(path), label: path, description: KEYS },
      onChange: () => file.setDirty(editor.current?.isDirty() ?? false),
      onCursor,
      onSave: () => void keep("save"),
    });
    const { line } = context.state();
    if (typeof line === "number") editor.current.goTo(line);
    const draft = takeDraft(window.sessionStorage, context.tabId, path);
    if (draft && draft.text !== shown.text) {
      editor.current.type(draft.text);
      file.restored(draft.etag);
    }
  }, [isOpen, shown, path, file, keep, context, host, onCursor]);

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
    return context.onState(({ line, path: current }) => {
      if (typeof line === "number" && line !== before && current === path) editor.current?.goTo(line);
      before = line;
    });
  }, [context, path]);

  /** The unsaved changes are not kept as a draft. */
  const discard = () => {
    isDiscarded.current = true;
  };
  return { editor, keep, discard };
}
