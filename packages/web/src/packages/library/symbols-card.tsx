import "./symbols-card.css";
import type { DetailedVersion } from "@backplane/contract/registry";
import { useEffect, useState } from "react";
import { Button } from "../../parts/button.tsx";
import { FaultNote } from "../../parts/note.tsx";
import { type PackagedSymbols, readPackagedSymbols } from "./library-symbols.ts";
import { SymbolPicture } from "./symbol-picture.tsx";

const PAGE = 24;

/** The symbols of a library, to look at before it is installed. */
export function SymbolsCard({ version }: { version: DetailedVersion }) {
  const [isOpen, setOpen] = useState(false);
  const [found, setFound] = useState<PackagedSymbols>();
  const [shown, setShown] = useState(PAGE);
  const [typed, setTyped] = useState("");
  useEffect(() => {
    if (!isOpen) return;
    const leaving = new AbortController();
    const show = (symbols: PackagedSymbols) => {
      if (!leaving.signal.aborted) setFound(symbols);
    };
    void readPackagedSymbols(version, leaving.signal).then(show, (error: unknown) => {
      if (!leaving.signal.aborted) reportError(error);
    });
    return () => leaving.abort();
  }, [isOpen, version]);
  const words = typed.toLowerCase();
  const symbols = (found?.symbols ?? []).filter(({ libId }) => libId.toLowerCase().includes(words));
  return (
    <section className="card" aria-labelledby="symbols">
      <div className="card-head">
        <h2 id="symbols">Symbols</h2>
        {found && <span className="muted">{found.symbols.length}</span>}
      </div>
      <div className="card-body symbols-body">
        {!isOpen && <Button onClick={() => setOpen(true)}>Show the symbols</Button>}
        {isOpen && !found && <p role="status">Reading the archive</p>}
        <FaultNote>{found?.fault}</FaultNote>
        {found && found.symbols.length === 0 && found.fault === undefined && <p>This package has no symbols.</p>}
        {found && found.symbols.length > PAGE && (
          <span className="input">
            <input
              aria-label="Find a symbol"
              placeholder="Find a symbol"
              maxLength={100}
              value={typed}
              onChange={({ target }) => setTyped(target.value)}
            />
          </span>
        )}
        {symbols.length > 0 && (
          <ul className="symbols-grid">
            {symbols.slice(0, shown).map((each) => (
              <li key={each.libId}>
                <SymbolPicture {...each} />
                <code>{each.libId}</code>
              </li>
            ))}
          </ul>
        )}
        {symbols.length > shown && <Button onClick={() => setShown(shown + PAGE)}>Show more</Button>}
      </div>
    </section>
  );
}
