import type { RegistryFacts } from "@backplane/contract/registry";
import { useId } from "react";
import { useResource } from "../../calls/use-resource.ts";
import { CopyButton } from "../../parts/copy-button.tsx";
import { REGISTRY } from "../paths.ts";
import { type RepositoryAddress, repositoryAddresses } from "./repository-addresses.ts";

/** The addresses that design tools install from. */
export function RepositoryLines() {
  const { value } = useResource<RegistryFacts>(REGISTRY);
  const facts = value ?? {
    brands: ["tool"],
    repository_url: `${window.location.origin}${REGISTRY}/repository.json`,
  };
  return repositoryAddresses(facts).map((line) => <RepositoryLine key={line.address} {...line} />);
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
