import {
  defaultKeymap,
  history,
  historyKeymap,
  indentLess,
  indentMore,
  temporarilySetTabFocusMode,
} from "@codemirror/commands";
import { bracketMatching, indentOnInput, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { highlightSelectionMatches, openSearchPanel, search, searchKeymap } from "@codemirror/search";
import { Compartment, EditorState, type Extension, type Text, Transaction } from "@codemirror/state";
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  keymap,
  lineNumbers,
} from "@codemirror/view";
import { editorColours, editorLook } from "./editor-look.ts";
import type { Language } from "./languages.ts";

export type Cursor = { line: number; column: number };

type Options = {
  parent: HTMLElement;
  text: string;
  language: Language;
  label: string;
  description: string;
  isReadOnly?: boolean;
  onChange?: () => void;
  onCursor?: (cursor: Cursor) => void;
  onSave?: () => void;
};

export type TextEditor = ReturnType<typeof createTextEditor>;

/**
 * CodeMirror in a shadow tree: there its styles are adopted style sheets, which the page's policy allows, and the styles of
 * the page do not affect it.
 */
export function createTextEditor(options: Options) {
  const { parent, text, language, isReadOnly = false, onChange, onCursor, onSave } = options;
  const root = parent.shadowRoot ?? parent.attachShadow({ mode: "open" });
  const languageSupport = new Compartment();
  let saved: Text;

  const runSave = (): boolean => {
    onSave?.();
    return true;
  };
  const keys = [
    { key: "Mod-s", preventDefault: true, run: runSave },
    { key: "Escape", run: temporarilySetTabFocusMode },
    { key: "Tab", run: indentMore, shift: indentLess },
  ];
  const extensions: Extension[] = [
    lineNumbers(),
    highlightActiveLineGutter(),
    highlightSpecialChars(),
    history(),
    drawSelection(),
    indentOnInput(),
    indentUnit.of(indentOf(text)),
    bracketMatching(),
    highlightActiveLine(),
    highlightSelectionMatches(),
    search({ top: false }),
    EditorState.readOnly.of(isReadOnly),
    // The search comes first, so that Escape closes it before anything else.
    keymap.of([...searchKeymap, ...(isReadOnly ? [] : keys), ...historyKeymap, ...defaultKeymap]),
    syntaxHighlighting(editorColours),
    editorLook,
    languageSupport.of([]),
    EditorView.contentAttributes.of({ "aria-label": options.label, "aria-description": options.description }),
    EditorView.updateListener.of((update) => {
      if (update.docChanged) onChange?.();
      if (update.docChanged || update.selectionSet) onCursor?.(cursorOf(update.state));
    }),
  ];
  const view = new EditorView({ state: EditorState.create({ doc: text, extensions }), parent: root, root });
  saved = view.state.doc;
  let isDestroyed = false;
  void language.load?.().then((support) => {
    if (!isDestroyed) view.dispatch({ effects: languageSupport.reconfigure(support) });
  });

  return {
    text: (): string => view.state.doc.toString(),
    /** The current text. Pass it to `markSaved` once it is saved. */
    snapshot: (): Text => view.state.doc,
    markSaved(doc: Text): void {
      saved = doc;
    },
    isDirty: (): boolean => !view.state.doc.eq(saved),
    /** Shows a saved text. It cannot be undone. */
    show(next: string): void {
      const changes = replacedPart(view.state.doc.toString(), next);
      const transaction = view.state.update({ changes, annotations: Transaction.addToHistory.of(false) });
      // Before the change is reported: `isDirty` must already be false.
      saved = transaction.newDoc;
      view.dispatch(transaction);
    },
    /** Replaces the text as if somebody had typed it. */
    type(next: string): void {
      view.dispatch({ changes: replacedPart(view.state.doc.toString(), next) });
    },
    goTo(line: number): void {
      const at = view.state.doc.line(Math.max(1, Math.min(line, view.state.doc.lines))).from;
      view.dispatch({ selection: { anchor: at }, effects: EditorView.scrollIntoView(at, { y: "center" }) });
    },
    search: (): boolean => openSearchPanel(view),
    focus: (): void => view.focus(),
    destroy(): void {
      isDestroyed = true;
      view.destroy();
    },
  };
}

function cursorOf(state: EditorState): Cursor {
  const { head } = state.selection.main;
  const line = state.doc.lineAt(head);
  return { line: line.number, column: head - line.from + 1 };
}

/** The indent that the text already uses: that of its first indented line. */
function indentOf(text: string): string {
  const first = /^(\t| {2,8})\S/m.exec(text)?.[1];
  return first === undefined || first.length > 4 ? "  " : first;
}

/** The part in which two texts differ. Replacing only that keeps the cursor where it is. */
export function replacedPart(before: string, after: string): { from: number; to: number; insert: string } {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < shorter - start && before[before.length - 1 - end] === after[after.length - 1 - end]) end += 1;
  return { from: start, to: before.length - end, insert: after.slice(start, after.length - end) };
}
