import type { ReactNode } from "react";
import { type Block, type Inline, readPlainText } from "./plain-text.ts";

/** Shows untrusted text. We build the elements ourselves; nothing in the text is taken as markup. */
export function PlainText({ text }: { text: string }) {
  return readPlainText(text).map((block, place) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: blocks of one text never move
    <BlockView key={place} block={block} />
  ));
}

function BlockView({ block }: { block: Block }) {
  if (block.kind === "paragraph") return <p dir="auto">{inlines(block.inlines)}</p>;
  if (block.kind === "code") {
    return (
      // biome-ignore lint/a11y/noNoninteractiveTabindex: long lines are scrolled, also by the keyboard
      <pre tabIndex={0}>
        <code>{block.text}</code>
      </pre>
    );
  }
  const items = block.items.map((item, place) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: items of one text never move
    <li key={place} dir="auto">
      {inlines(item)}
    </li>
  ));
  return block.ordered ? <ol>{items}</ol> : <ul>{items}</ul>;
}

const inlines = (list: readonly Inline[]): ReactNode[] =>
  list.map((inline, place) => {
    if (inline.kind === "text") return inline.text;
    // biome-ignore lint/suspicious/noArrayIndexKey: pieces of one text never move
    if (inline.kind === "code") return <code key={place}>{inline.text}</code>;
    return (
      // biome-ignore lint/suspicious/noArrayIndexKey: pieces of one text never move
      <ForeignLink key={place} href={inline.href}>
        {inline.text}
      </ForeignLink>
    );
  });

/** A link that someone else wrote: it gets no referrer and no endorsement by us. */
export function ForeignLink({ href, children }: { href: string; children: ReactNode }) {
  return (
    <a href={href} rel="noopener nofollow ugc" referrerPolicy="no-referrer">
      {children}
    </a>
  );
}
