import type { PrivatePackages } from "@backplane/contract/registry";
import { Link } from "react-router";
import { useResource } from "../../calls/use-resource.ts";
import { useSession } from "../../session/session.tsx";
import { PackageIcon } from "../package-icon.tsx";
import { packagePage, REGISTRY } from "../paths.ts";

/** The packages that only the signed-in person and their organisations see. */
export function OwnPrivatePackages() {
  const { who } = useSession();
  return who.is === "in" ? <PrivateList /> : null;
}

function PrivateList() {
  const { value } = useResource<PrivatePackages>(`${REGISTRY}/private`);
  if (!value || value.packages.length === 0) return null;
  return (
    <section className="card private-list" aria-labelledby="private-packages">
      <div className="card-head">
        <h2 id="private-packages">Private packages</h2>
        <span className="dense muted">Only for you and your organisations</span>
      </div>
      <ul>
        {value.packages.map(({ identifier, name, type, has_icon: hasIcon, version, owner }) => (
          <li key={identifier}>
            <PackageIcon identifier={identifier} type={type} hasIcon={hasIcon} />
            <span>
              <Link to={packagePage(identifier)}>
                <bdi>{name}</bdi>
              </Link>
              <small className="muted">
                <code>{identifier}</code> {version}, {owner}
              </small>
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
