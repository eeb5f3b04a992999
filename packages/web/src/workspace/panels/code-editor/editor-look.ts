import { HighlightStyle } from "@codemirror/language";
import { EditorView } from "@codemirror/view";
import { tags } from "@lezer/highlight";

/** The page's colour tokens reach into the shadow tree, so both themes work. */
export const editorLook = EditorView.theme({
  "&": { height: "100%", color: "var(--text)", backgroundColor: "var(--surface)", fontSize: "var(--fs-2)" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "20px", fontVariantLigatures: "none" },
  ".cm-content": { padding: "6px 0", caretColor: "var(--text)" },
  ".cm-line": { padding: "0 12px 0 0" },
  ".cm-gutters": { backgroundColor: "var(--surface)", color: "var(--muted)", border: "none" },
  ".cm-lineNumbers .cm-gutterElement": { minWidth: "44px", padding: "0 16px 0 8px", boxSizing: "border-box" },
  ".cm-activeLine": { backgroundColor: "color-mix(in srgb, var(--accent-soft) 75%, transparent)" },
  ".cm-activeLineGutter": { backgroundColor: "var(--accent-soft)", color: "var(--text)" },
  ".cm-cursor": { borderLeftColor: "var(--text)", borderLeftWidth: "2px" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    backgroundColor: "color-mix(in srgb, var(--focus) 26%, transparent)",
  },
  ".cm-matchingBracket, &.cm-focused .cm-matchingBracket": {
    backgroundColor: "transparent",
    outline: "1px solid var(--line-strong)",
  },
  ".cm-searchMatch": { backgroundColor: "var(--warn-soft)", outline: "1px solid var(--warn)" },
  ".cm-searchMatch-selected": { backgroundColor: "var(--accent-soft)", outline: "2px solid var(--accent)" },
  ".cm-selectionMatch": { backgroundColor: "var(--hover)" },
  ".cm-panels": { backgroundColor: "var(--sunken)", color: "var(--text)", fontFamily: "var(--sans)" },
  ".cm-panels.cm-panels-bottom": { borderTop: "1px solid var(--line)" },
  ".cm-panels.cm-panels-top": { borderBottom: "1px solid var(--line)" },
  ".cm-panel.cm-search": { padding: "6px 36px 6px 12px", fontSize: "var(--fs-2)" },
  ".cm-panel.cm-search label": {
    fontSize: "var(--fs-1)",
    display: "inline-flex",
    alignItems: "center",
    gap: "4px",
    marginRight: "10px",
  },
  ".cm-panel.cm-search [name=close]": {
    color: "var(--muted)",
    fontSize: "18px",
    width: "26px",
    height: "26px",
    cursor: "pointer",
    right: "6px",
    top: "6px",
  },
  ".cm-textfield": {
    height: "26px",
    fontSize: "var(--fs-2)",
    color: "var(--text)",
    backgroundColor: "var(--surface)",
    border: "1px solid var(--line-strong)",
    borderRadius: "var(--r1)",
    padding: "0 8px",
  },
  ".cm-button": {
    height: "26px",
    fontSize: "var(--fs-2)",
    color: "var(--text)",
    background: "var(--surface)",
    border: "1px solid var(--line-strong)",
    borderRadius: "var(--r1)",
    cursor: "pointer",
  },
  ".cm-button:hover": { background: "var(--hover)" },
  ".cm-button:active": { background: "var(--hover)" },
  "& :focus-visible": { outline: "2px solid var(--focus)", outlineOffset: "1px" },
  "& .cm-content:focus-visible": { outline: "none" },
});

export const editorColours = HighlightStyle.define([
  {
    tag: [tags.keyword, tags.modifier, tags.operatorKeyword, tags.controlKeyword, tags.moduleKeyword],
    color: "var(--accent)",
  },
  { tag: [tags.string, tags.special(tags.string), tags.regexp, tags.attributeValue], color: "var(--ok)" },
  { tag: [tags.number, tags.bool, tags.null, tags.atom, tags.unit, tags.escape], color: "var(--trace-3)" },
  { tag: [tags.comment, tags.meta, tags.processingInstruction], color: "var(--muted)" },
  {
    tag: [
      tags.function(tags.variableName),
      tags.function(tags.propertyName),
      tags.function(tags.definition(tags.variableName)),
      tags.labelName,
      tags.tagName,
    ],
    color: "var(--trace-2)",
  },
  { tag: [tags.attributeName, tags.macroName, tags.definition(tags.propertyName)], color: "var(--text)" },
  { tag: [tags.heading, tags.strong], fontWeight: "600" },
  { tag: tags.emphasis, fontStyle: "italic" },
  { tag: [tags.link, tags.url], color: "var(--accent)", textDecoration: "underline" },
  { tag: tags.invalid, color: "var(--danger)" },
]);
