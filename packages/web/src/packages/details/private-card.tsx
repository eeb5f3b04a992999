import { type NewSecretAddress, PRIVATE_LIMITS, type SecretAddress } from "@backplane/contract/registry";
import { type SubmitEvent, useState } from "react";
import { useAction } from "../../calls/use-action.ts";
import { useResource } from "../../calls/use-resource.ts";
import { Button } from "../../parts/button.tsx";
import { CopyIconButton } from "../../parts/copy-button.tsx";
import { FaultLine, Field } from "../../parts/field.tsx";
import { longDate } from "../../parts/times.ts";
import { addressesPath, addressPath } from "../paths.ts";

/** The secret addresses at which design tools read the private packages of an owner. */
export function PrivateCard({ owner }: { owner: string }) {
  const { value, reload } = useResource<{ addresses: SecretAddress[] }>(addressesPath(owner));
  const [name, setName] = useState("");
  const [made, setMade] = useState<NewSecretAddress>();
  const { busy, fault, act } = useAction();

  const create = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (name.trim() === "") return;
    const body = { name: name.trim(), owner };
    void act<NewSecretAddress>({ method: "POST", path: addressesPath(), body }, async (address) => {
      setMade(address);
      setName("");
      await reload();
    });
  };

  const url = made?.urls.kicad ?? Object.values(made?.urls ?? {})[0];
  return (
    <section className="card" aria-labelledby="private">
      <div className="card-head">
        <h2 id="private">Private</h2>
      </div>
      <div className="card-body package-install">
        <p className="small muted">
          Only <bdi>{owner}</bdi> can see this package. Design tools read it at a secret address, together with the
          other private packages of <bdi>{owner}</bdi>. Anyone who has the address can read them.
        </p>
        {made && url !== undefined && (
          <div className="package-install" role="status">
            <p className="small">
              Copy this address to “<bdi>{made.name}</bdi>” now; it is not shown again.
            </p>
            <div className="copy">
              <code>{url}</code>
              <CopyIconButton text={url} label="Copy secret address" />
            </div>
          </div>
        )}
        <form className="package-install" onSubmit={create} noValidate>
          <Field
            label="Who will use the address"
            hint="For example: Workstation in the lab"
            name="address-name"
            value={name}
            onChange={setName}
            maxLength={PRIVATE_LIMITS.maxNameCharacters}
          />
          <Button type="submit" busy={busy}>
            New secret address
          </Button>
        </form>
        {fault !== undefined && <FaultLine>{fault}</FaultLine>}
        {value && value.addresses.length > 0 && (
          <ul className="package-addresses" aria-label="Secret addresses">
            {value.addresses.map(({ id, name: user, created_at: createdAt }) => (
              <li key={id}>
                <span>
                  <bdi>{user}</bdi> <small className="muted">{longDate(new Date(createdAt))}</small>
                </span>
                <Button
                  size="small"
                  label={`Remove the address of ${user}`}
                  busy={busy}
                  onClick={() => void act({ method: "DELETE", path: addressPath(id) }, reload)}
                >
                  Remove
                </Button>
              </li>
            ))}
          </ul>
        )}
      </div>
    </section>
  );
}
