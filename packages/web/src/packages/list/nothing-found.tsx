import { Link } from "react-router";
import { Button } from "../../parts/button.tsx";
import { CopyButton } from "../../parts/copy-button.tsx";
import { Icon } from "../../parts/icon.tsx";
import { type ListQuery, PUBLISH_PAGE } from "../paths.ts";
import { emptyWords } from "./list-words.ts";

const PUBLISH_COMMAND = "backplane pkg publish";

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
  return (
    <section className="card empty" aria-label="Nothing found">
      <Icon name="box" />
      <h2>No packages yet</h2>
      <p>
        <Link to={PUBLISH_PAGE}>Publish the first one</Link> here, or run this in the folder of a package.
      </p>
      <div className="copy pkg-first">
        <code className="prompted">{PUBLISH_COMMAND}</code>
        <CopyButton text={PUBLISH_COMMAND} />
      </div>
    </section>
  );
}
