import type { FoundPackage } from "@backplane/contract/registry";
import { Link } from "react-router";
import { State } from "../../parts/state.tsx";
import { longDate } from "../../parts/times.ts";
import { Highlighted } from "../highlighted.tsx";
import { PackageIcon } from "../package-icon.tsx";
import { packagePage } from "../paths.ts";
import type { ToolChoice } from "../tool-choice.ts";
import { age, typeWords } from "../words.ts";
import { stateOf } from "./list-words.ts";

type Props = { found: FoundPackage; query: string; choice: ToolChoice | undefined; now: Date };

export function FoundRow({ found, query, choice, now }: Props) {
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
          {found.license} <small>{typeWords[type]}</small>
        </div>
        <State {...stateOf(found)} />
      </Link>
    </li>
  );
}
