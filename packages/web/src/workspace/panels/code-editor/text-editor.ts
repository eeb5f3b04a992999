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
 * CodeMirror in a shadow tree of its own: there its styles are adopted sheets, which the page's policy allows, and no
 * style of the page reaches in.
 */
export function createTextEditor(options: Options) {
  const { parent, text, language, isReadOnly = false, onChange, onCursor, onSave } = options;
  const root = parent.shadowRoot ?? parent.attachShadow({ mode: "open" });
  const spoken = new Compartment();
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
    // What searches first, so that its Escape closes the search before it means anything else.
    keymap.of([...searchKeymap, ...(isReadOnly ? [] : keys), ...historyKeymap, ...defaultKeymap]),
    syntaxHighlighting(editorColours),
    editorLook,
    spoken.of([]),
    EditorView.contentAttributes.of({ "aria-label": options.label, "aria-description": options.description }),
    EditorView.updateListener.of((update) => {
      if (update.docChanged) onChange?.();
      if (update.docChanged || update.selectionSet) onCursor?.(cursorOf(update.state));
    }),
  ];
  const view = new EditorView({ state: EditorState.create({ doc: text, extensions }), parent: root, root });
  saved = view.state.doc;
  let isEnded = false;
  void language.load?.().then((support) => {
    if (!isEnded) view.dispatch({ effects: spoken.reconfigure(support) });
  });

  return {
    text: (): string => view.state.doc.toString(),
    /** What is in it now, to be remembered as saved when it is. */
    snapshot: (): Text => view.state.doc,
    markSaved(doc: Text): void {
      saved = doc;
    },
    isDirty: (): boolean => !view.state.doc.eq(saved),
    /** Another text, which nobody typed: it is the saved one, and cannot be undone. */
    show(next: string): void {
      const changes = replacedPart(view.state.doc.toString(), next);
      const transaction = view.state.update({ changes, annotations: Transaction.addToHistory.of(false) });
      // Before anybody hears of the change and asks whether there is something to save.
      saved = transaction.newDoc;
      view.dispatch(transaction);
    },
    /** Another text in place of this one, as if somebody had typed it. */
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
      isEnded = true;
      view.destroy();
    },
  };
}

function cursorOf(state: EditorState): Cursor {
  const { head } = state.selection.main;
  const line = state.doc.lineAt(head);
  return { line: line.number, column: head - line.from + 1 };
}

/** As the text itself does it: a tab where its first indented line has one. */
function indentOf(text: string): string {
  const first = /^(\t| {2,8})\S/m.exec(text)?.[1];
  return first === undefined || first.length > 4 ? "  " : first;
}

/** What differs between two texts: one part in the middle, so that the cursor stays where the rest is the same. */
export function replacedPart(before: string, after: string): { from: number; to: number; insert: string } {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < shorter - start && before[before.length - 1 - end] === after[after.length - 1 - end]) end += 1;
  return { from: start, to: before.length - end, insert: after.slice(start, after.length - end) };
}
