import "../packages.css";
import "./list.css";
import type { PackageType, RegistryFacts } from "@backplane/contract/registry";
import { useEffect, useId, useRef } from "react";
import { Link } from "react-router";
import { LoadFailed } from "../../calls/load-failed.tsx";
import { useResource } from "../../calls/use-resource.ts";
import { CopyButton } from "../../parts/copy-button.tsx";
import { Icon } from "../../parts/icon.tsx";
import { counted } from "../../parts/words.ts";
import { PageTitle } from "../../shell/page-title.tsx";
import { PUBLISH_PAGE, REGISTRY } from "../paths.ts";
import { ToolSelect } from "../tool-select.tsx";
import { useToolChoice } from "../use-tool-choice.ts";
import { FoundList, ListSkeleton, NothingFound, rowsOf } from "./found-list.tsx";
import { useListQuery } from "./list-query.ts";
import { type RepositoryAddress, repositoryAddresses, typeSegments } from "./list-words.ts";
import { OwnPrivatePackages } from "./private-packages.tsx";
import { SearchField } from "./search-field.tsx";
import { useFound } from "./use-found.ts";

export function PackagesPage() {
  const { query, change } = useListQuery();
  const tools = useToolChoice();
  const { value: facts } = useResource<RegistryFacts>(REGISTRY);
  const { answered, fault, isStale, load, loadMore, loadingMore } = useFound(query, tools.choice);
  const field = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLUListElement>(null);

  const clear = () => {
    change({ q: "", type: undefined });
    field.current?.focus();
  };

  // The button moves down with the list, so the focus goes to the first of the new rows.
  const goOnAt = useRef<number>(undefined);
  const shown = answered?.packages.length ?? 0;
  const showMore = () => {
    goOnAt.current = shown;
    void loadMore();
  };
  useEffect(() => {
    if (goOnAt.current === undefined || shown <= goOnAt.current) return;
    rowsOf(list.current)[goOnAt.current]?.focus({ preventScroll: true });
    goOnAt.current = undefined;
  }, [shown]);

  return (
    <>
      <div className="page-head">
        <div>
          <PageTitle name="Packages" />
          <p>Plugins, libraries and colour themes that your design tool installs from here.</p>
        </div>
        <Link className="btn primary" to={PUBLISH_PAGE}>
          <Icon name="plus" />
          Publish a package
        </Link>
      </div>
      <search className="pkg-filters">
        <SearchField
          ref={field}
          q={query.q}
          onSearch={(q) => change({ q })}
          onDown={() => rowsOf(list.current)[0]?.focus()}
        />
        <TypeSegments listed={facts?.types ?? []} type={query.type} onChoose={(type) => change({ type })} />
        <ToolSelect label="Works with" tools={tools} named={[]} />
      </search>
      <p className="sr" role="status">
        {answered && !isStale && !fault && `${counted(answered.total, "package")} found`}
      </p>
      {fault && !isStale && (
        <div className="pkg-note">
          <LoadFailed
            title={answered ? "These are the results of the last search." : "Packages could not be loaded."}
            fault={fault}
            onRetry={load}
          />
        </div>
      )}
      {answered && answered.total > 0 && (
        <FoundList
          ref={list}
          answered={answered}
          isStale={isStale}
          loadingMore={loadingMore}
          onMore={showMore}
          onBefore={() => field.current?.focus()}
        />
      )}
      {answered?.total === 0 && <NothingFound query={answered.query} onClear={clear} />}
      {!answered && !fault && <ListSkeleton />}
      <OwnPrivatePackages />
      <RepositoryLines facts={facts} />
    </>
  );
}

type Props = {
  listed: readonly PackageType[];
  type: PackageType | undefined;
  onChoose: (type: PackageType | undefined) => void;
};

function TypeSegments({ listed, type, onChoose }: Props) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset has a legend and a frame
    <div className="segmented" role="group" aria-label="Type">
      {typeSegments(listed).map(([value, word]) => (
        <button key={value ?? ""} type="button" aria-pressed={type === value} onClick={() => onChoose(value)}>
          {word}
        </button>
      ))}
    </div>
  );
}

/** The addresses that design tools install from. */
function RepositoryLines({ facts }: { facts: RegistryFacts | undefined }) {
  const known = facts ?? {
    brands: ["tool"],
    repository_url: `${window.location.origin}${REGISTRY}/repository.json`,
  };
  return repositoryAddresses(known).map((line) => <RepositoryLine key={line.address} {...line} />);
}

function RepositoryLine({ label, address }: RepositoryAddress) {
  const labelId = useId();
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset has a legend and a frame
    <div className="pkg-repository" role="group" aria-labelledby={labelId}>
      <span className="dense muted nowrap" id={labelId}>
        {label}
      </span>
      <div className="copy">
        <code>{address}</code>
        <CopyButton text={address} />
      </div>
    </div>
  );
}
