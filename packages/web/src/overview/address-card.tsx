import type { Overview } from "@backplane/contract/platform";
import { CopyIconButton } from "../parts/copy-button.tsx";
import { type Address, addresses, withoutScheme } from "./addresses.ts";
import { inHome } from "./words.ts";

function AddressRow({ address: { label, copyLabel, url, opens } }: { address: Address }) {
  return (
    <li className="address">
      <div>
        <p className="label">{label}</p>
        <code>{opens ? <a href={url}>{withoutScheme(url)}</a> : withoutScheme(url)}</code>
      </div>
      <CopyIconButton text={url} label={copyLabel} />
    </li>
  );
}

export function AddressCard({ overview }: { overview: Overview }) {
  return (
    <section className="card" aria-labelledby="addresses">
      <div className="card-head">
        <h2 id="addresses">Addresses</h2>
      </div>
      <ul>
        {addresses(overview).map((address) => (
          <AddressRow key={address.label} address={address} />
        ))}
      </ul>
      {overview.home !== undefined && overview.ownerFile && (
        <p className="card-body owner dense muted">
          The owner's name and password are in <code>{inHome(overview.home, "owner.json")}</code>, readable only by you.
        </p>
      )}
    </section>
  );
}
