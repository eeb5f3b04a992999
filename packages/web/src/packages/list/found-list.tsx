import type { FoundPackage } from "@backplane/contract/registry";
import type { KeyboardEvent, Ref } from "react";
import { Button } from "../../parts/button.tsx";
import { useNow } from "../../parts/use-now.ts";
import { type ToolChoice, toolHead } from "../tool-choice.ts";
import { counted } from "../words.ts";
import { FoundRow } from "./found-row.tsx";
import { rowAfter } from "./list-keys.ts";

type Props = {
  answered: { total: number; packages: readonly FoundPackage[]; choice: ToolChoice | undefined; query: { q: string } };
  isStale: boolean;
  loadingMore: boolean;
  onMore: () => void;
  /** The arrow up, from the first row. */
  onBefore: () => void;
  ref: Ref<HTMLUListElement>;
};

const AGES_EVERY_MS = 60_000;

/** The links of the rows, in their order. */
export const rowsOf = (list: Element | null): HTMLElement[] => [
  ...(list?.querySelectorAll<HTMLElement>(".pkg-row") ?? []),
];

/** What was found, a row each. Arrows move between the rows. */
export function FoundList({ answered, isStale, loadingMore, onMore, onBefore, ref }: Props) {
  const now = useNow(AGES_EVERY_MS);
  const { total, packages, choice, query } = answered;

  const press = (event: KeyboardEvent<HTMLUListElement>) => {
    const rows = rowsOf(event.currentTarget);
    const at = rows.findIndex((row) => row.matches(":focus"));
    const next =
      at < 0 || event.ctrlKey || event.altKey || event.metaKey ? undefined : rowAfter(event.key, at, rows.length);
    if (next === undefined) return;
    event.preventDefault();
    if (next === "before") onBefore();
    else rows[next]?.focus();
  };

  return (
    <section className="card pkg-list" aria-label="Packages found" aria-busy={isStale}>
      <div className="pkg-head">
        <span />
        <span>{counted(total, "package", "packages")}</span>
        <span>Version</span>
        <span>Licence</span>
        <span>{choice ? toolHead(choice) : "Status"}</span>
      </div>
      <ul ref={ref} onKeyDown={press}>
        {packages.map((found) => (
          <FoundRow key={found.identifier} found={found} query={query.q} choice={choice} now={now} />
        ))}
      </ul>
      {packages.length < total && (
        <div className="pkg-more">
          <Button busy={loadingMore} onClick={onMore}>
            Show more
          </Button>
          <span className="dense muted">
            {packages.length.toLocaleString("en")} of {total.toLocaleString("en")} shown
          </span>
        </div>
      )}
    </section>
  );
}
