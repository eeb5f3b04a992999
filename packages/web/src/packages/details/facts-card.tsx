import type { DetailedVersion, PackageDetails } from "@backplane/contract/registry";
import { Fragment } from "react";
import { Link } from "react-router";
import { CopyIconButton } from "../../parts/copy-button.tsx";
import { longDate } from "../../parts/times.ts";
import { counted } from "../../parts/words.ts";
import { searchPage } from "../paths.ts";
import { shortHash, sizeWords } from "../words.ts";
import { namedLinks } from "./links.ts";
import { ForeignLink } from "./plain-text-view.tsx";

type Props = { details: PackageDetails; version: DetailedVersion | undefined };

export function FactsCard({ details, version }: Props) {
  const { author, maintainer, tags, keep_on_update: keeps } = details;
  return (
    <section className="card card-body package-facts" aria-label="Facts">
      <dl className="facts">
        <dt>Licence</dt>
        <dd>{details.license}</dd>
        <dt>Author</dt>
        <dd>
          <Person person={author} />
        </dd>
        {maintainer && maintainer.name !== author.name && (
          <>
            <dt>Maintainer</dt>
            <dd>
              <Person person={maintainer} />
            </dd>
          </>
        )}
        <dt>Owner</dt>
        <dd>{details.owner}</dd>
        {details.category !== undefined && (
          <>
            <dt>Category</dt>
            <dd>{details.category}</dd>
          </>
        )}
        {version && <VersionFacts version={version} />}
        <dt>Downloads</dt>
        <dd>
          {details.downloads === 0 ? "None yet" : details.downloads.toLocaleString("en")}
          {version &&
            details.downloads > 0 &&
            details.versions.length > 1 &&
            ` in total, ${version.downloads.toLocaleString("en")} of ${version.version}`}
        </dd>
        {keeps.length > 0 && (
          <>
            <dt>Keeps</dt>
            <dd>
              {keeps.map((pattern) => (
                <code className="package-pattern" key={pattern}>
                  {pattern}
                </code>
              ))}
            </dd>
          </>
        )}
        {Object.keys(details.resources).length > 0 && (
          <>
            <dt>Links</dt>
            <dd>
              <Links links={details.resources} />
            </dd>
          </>
        )}
        {version && (
          <>
            <dt>sha256</dt>
            <dd className="package-hash">
              <code title={version.download_sha256}>{shortHash(version.download_sha256)}</code>
              <CopyIconButton text={version.download_sha256} label="Copy sha256" />
            </dd>
          </>
        )}
      </dl>
      {tags.length > 0 && (
        <ul className="package-tags" aria-label="Tags">
          {tags.map((tag) => (
            <li key={tag}>
              <Link className="badge" to={searchPage(tag)}>
                {tag}
              </Link>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function VersionFacts({ version }: { version: DetailedVersion }) {
  return (
    <>
      <dt>Published</dt>
      <dd>{longDate(new Date(version.published_at))}</dd>
      <dt>Installed</dt>
      <dd>
        {sizeWords(version.install_size)}, {counted(version.file_count, "file")}
      </dd>
    </>
  );
}

/** A name with its web links. */
function Person({ person: { name, contact } }: { person: PackageDetails["author"] }) {
  const web = namedLinks(contact).filter(({ href }) => href !== undefined);
  return (
    <>
      <bdi>{name}</bdi>
      {web.map(({ name: word, href = "" }) => (
        <Fragment key={word}>
          , <ForeignLink href={href}>{word}</ForeignLink>
        </Fragment>
      ))}
    </>
  );
}

function Links({ links }: { links: PackageDetails["resources"] }) {
  return namedLinks(links).map(({ name, text, href }, place) => (
    <Fragment key={name}>
      {place > 0 && ", "}
      {href === undefined ? `${name}: ${text}` : <ForeignLink href={href}>{name}</ForeignLink>}
    </Fragment>
  ));
}
