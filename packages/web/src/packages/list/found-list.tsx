import type { FoundPackage } from "@backplane/contract/registry";
import type { KeyboardEvent, Ref } from "react";
import { Link } from "react-router";
import { Button } from "../../parts/button.tsx";
import { Command } from "../../parts/command.tsx";
import { CopyButton } from "../../parts/copy-button.tsx";
import { Icon } from "../../parts/icon.tsx";
import { State } from "../../parts/state.tsx";
import { terminalCommand } from "../../parts/terminal-command.ts";
import { longDate } from "../../parts/times.ts";
import { useNow } from "../../parts/use-now.ts";
import { counted } from "../../parts/words.ts";
import { highlight } from "../highlight.ts";
import { PackageIcon } from "../package-icon.tsx";
import { type ListQuery, PUBLISH_PAGE, packagePage } from "../paths.ts";
import { type ToolChoice, toolHead } from "../tool-choice.ts";
import { age, typeWords } from "../words.ts";
import { rowAfter } from "./list-keys.ts";
import { emptyWords, stateOf } from "./list-words.ts";

type Props = {
  answered: { total: number; packages: readonly FoundPackage[]; choice: ToolChoice | undefined; query: { q: string } };
  isStale: boolean;
  loadingMore: boolean;
  onMore: () => void;
  /** Arrow up from the first row. */
  onBefore: () => void;
  ref: Ref<HTMLUListElement>;
};

const AGES_EVERY_MS = 60_000;

/** The links of the rows, in order. */
export const rowsOf = (list: Element | null): HTMLElement[] => [
  ...(list?.querySelectorAll<HTMLElement>(".pkg-row") ?? []),
];

/** The packages found, one row each. Arrow keys move between the rows. */
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
        <span>{counted(total, "package")}</span>
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

type FoundRowProps = { found: FoundPackage; query: string; choice: ToolChoice | undefined; now: Date };

function FoundRow({ found, query, choice, now }: FoundRowProps) {
  const { identifier, name, type, version } = found;
  const publishedAt = new Date(found.published_at);
  return (
    <li>
      <Link className="pkg-row" to={packagePage(identifier, choice)}>
        <PackageIcon identifier={identifier} type={type} hasIcon={found.has_icon} />
        <div className="pkg-what">
          <h2>
            <bdi>
              <Highlighted text={name} query={query} />
            </bdi>
          </h2>{" "}
          <code className="pkg-id">
            <Highlighted text={identifier} query={query} />
          </code>
          <p className="pkg-line">
            <Highlighted text={found.description} query={query} />
          </p>
        </div>
        <div className="pkg-cell">
          {version !== undefined && <code>{version}</code>}{" "}
          <small title={longDate(publishedAt)}>{age(publishedAt, now)}</small>
        </div>
        <div className="pkg-cell pkg-licence">
          {found.license} <small>{typeWords(type)}</small>
        </div>
        <State {...stateOf(found)} />
      </Link>
    </li>
  );
}

/** A text with the search words marked. */
function Highlighted({ text, query }: { text: string; query: string }) {
  return highlight(text, query).map((piece, place) =>
    // biome-ignore lint/suspicious/noArrayIndexKey: pieces of one text never move
    piece.hit ? <mark key={place}>{piece.text}</mark> : piece.text,
  );
}

/** What is missing, then what to do: search for less, or publish the first one. */
export function NothingFound({ query, onClear }: { query: ListQuery; onClear: () => void }) {
  const words = emptyWords(query);
  if (!words) return <NothingYet />;
  return (
    <section className="card empty" aria-label="Nothing found">
      <Icon name="search" />
      <h2>{words.title}</h2>
      <p>{words.line}</p>
      <Button onClick={onClear}>{query.q === "" ? "Show all types" : "Clear search"}</Button>
    </section>
  );
}

function NothingYet() {
  const command = terminalCommand("pkg publish");
  return (
    <section className="card empty" aria-label="Nothing found">
      <Icon name="box" />
      <h2>No packages yet</h2>
      <p>
        <Link to={PUBLISH_PAGE}>Publish the first one</Link> here, or run this in the folder of a package.
      </p>
      <div className="copy pkg-first">
        <Command text={command} />
        <CopyButton text={command} />
      </div>
    </section>
  );
}

const ROWS = [0, 1, 2, 3, 4, 5];

/** The shape of the list, shown when the first answer takes longer than 300 ms. */
export function ListSkeleton() {
  return (
    <div className="card loading">
      <p className="sr" role="status">
        Loading packages
      </p>
      <div aria-hidden="true">
        <div className="pkg-head">&nbsp;</div>
        {ROWS.map((row) => (
          <div className="pkg-row pkg-row-skeleton" key={row}>
            <span className="skeleton pkg-icon" />
            <div>
              <div className="skeleton" />
              <div className="skeleton" />
            </div>
          </div>
        ))}
      </div>
    </div>
  );
}
