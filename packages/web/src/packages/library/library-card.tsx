import "./library-card.css";
import type { DetailedVersion } from "@backplane/contract/registry";
import { type ReactNode, useEffect, useState } from "react";
import { Button } from "../../parts/button.tsx";
import { FaultNote } from "../../parts/note.tsx";

const PAGE = 24;

type Named = { libId: string };
export type Found<Item> = { items: readonly Item[]; fault?: string };

type Props<Item extends Named> = {
  /** What the card shows one of. */
  word: "symbol" | "footprint";
  version: DetailedVersion;
  read(version: DetailedVersion, signal: AbortSignal): Promise<Found<Item>>;
  picture(item: Item): ReactNode;
};

/** What a library has, to look at before it is installed. */
export function LibraryCard<Item extends Named>({ word, version, read, picture }: Props<Item>) {
  const [isOpen, setOpen] = useState(false);
  const [found, setFound] = useState<Found<Item>>();
  const [shown, setShown] = useState(PAGE);
  const [typed, setTyped] = useState("");
  useEffect(() => {
    if (!isOpen) return;
    const leaving = new AbortController();
    const show = (items: Found<Item>) => {
      if (!leaving.signal.aborted) setFound(items);
    };
    void read(version, leaving.signal).then(show, (error: unknown) => {
      if (!leaving.signal.aborted) reportError(error);
    });
    return () => leaving.abort();
  }, [isOpen, version, read]);
  const words = typed.toLowerCase();
  const items = (found?.items ?? []).filter(({ libId }) => libId.toLowerCase().includes(words));
  const plural = `${word}s`;
  return (
    <section className="card" aria-labelledby={plural}>
      <div className="card-head">
        <h2 id={plural}>{word === "symbol" ? "Symbols" : "Footprints"}</h2>
        {found && <span className="muted">{found.items.length}</span>}
      </div>
      <div className="card-body library-body">
        {!isOpen && <Button onClick={() => setOpen(true)}>Show the {plural}</Button>}
        {isOpen && !found && <p role="status">Reading the archive</p>}
        <FaultNote>{found?.fault}</FaultNote>
        {found && found.items.length === 0 && found.fault === undefined && <p>This package has no {plural}.</p>}
        {found && found.items.length > PAGE && (
          <span className="input">
            <input
              aria-label={`Find a ${word}`}
              placeholder={`Find a ${word}`}
              maxLength={100}
              value={typed}
              onChange={({ target }) => setTyped(target.value)}
            />
          </span>
        )}
        {items.length > 0 && (
          <ul className="library-grid">
            {items.slice(0, shown).map((item) => (
              <li key={item.libId}>
                {picture(item)}
                <code>{item.libId}</code>
              </li>
            ))}
          </ul>
        )}
        {items.length > shown && <Button onClick={() => setShown(shown + PAGE)}>Show more {plural}</Button>}
      </div>
    </section>
  );
}
