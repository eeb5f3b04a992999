import type { RegistryFacts } from "@backplane/registry/contract";
import { useId } from "react";
import { useResource } from "../../calls/use-resource.ts";
import { CopyButton } from "../../parts/copy-button.tsx";
import { REGISTRY } from "../paths.ts";

/** The address that a design tool installs from. */
export function RepositoryLine() {
  const { value } = useResource<RegistryFacts>(REGISTRY);
  const labelId = useId();
  const address = value?.repository_url ?? `${window.location.origin}${REGISTRY}/repository.json`;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset has a legend and a frame
    <div className="pkg-repository" role="group" aria-labelledby={labelId}>
      <span className="dense muted nowrap" id={labelId}>
        Add to your design tool
      </span>
      <div className="copy">
        <code>{address}</code>
        <CopyButton text={address} />
      </div>
    </div>
  );
}
