import type { LessonBlock, LessonSpan } from "@backplane/contract/panels";

/** Where links of a lesson lead: to a panel, or to a file of the project. */
export type Follow = (target: Pick<LessonSpan, "panel" | "file">) => void;

/** The server has parsed the lesson: here is only text, never HTML. What is shown is never reordered, so places are keys. */
export function LessonText({ blocks, onFollow }: { blocks: readonly LessonBlock[]; onFollow: Follow }) {
  return blocks.map((block, place) => {
    const key = `${place} ${block.type}`;
    if (block.type === "code") {
      return (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must reach it to scroll it
        <pre key={key} tabIndex={0}>
          {block.text}
        </pre>
      );
    }
    if (block.type === "paragraph") {
      return (
        <p key={key}>
          <Spans spans={block.spans} onFollow={onFollow} />
        </p>
      );
    }
    const items = block.items.map((spans, item) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: what is shown is never reordered
      <li key={`${item} ${spans[0]?.text}`}>
        <Spans spans={spans} onFollow={onFollow} />
      </li>
    ));
    return block.isNumbered ? <ol key={key}>{items}</ol> : <ul key={key}>{items}</ul>;
  });
}

export function Spans({ spans, onFollow }: { spans: readonly LessonSpan[]; onFollow: Follow }) {
  return spans.map((span, place) => {
    const { text, look } = span;
    const key = `${place} ${text}`;
    if (span.panel !== undefined || span.file !== undefined) {
      return (
        <button key={key} type="button" className="link" onClick={() => onFollow(span)}>
          {text}
        </button>
      );
    }
    if (look === "code") return <code key={key}>{text}</code>;
    if (look === "strong") return <b key={key}>{text}</b>;
    return look === "emphasis" ? <em key={key}>{text}</em> : <span key={key}>{text}</span>;
  });
}
