import type { Organisation } from "@backplane/contract/accounts";
import { useRef, useState } from "react";
import { useResource } from "../calls/use-resource.ts";
import { Button } from "../parts/button.tsx";
import { Loaded, Nothing } from "./loaded.tsx";
import { NewOrganisationForm } from "./new-organisation-form.tsx";
import { OrganisationPart } from "./organisation-part.tsx";
import { ORGANISATIONS } from "./parts-of-account.ts";
import { focusPart, Section } from "./section.tsx";

type Props = {
  userName: string;
  /** The head of the page names the organisations, too. */
  onChanged: () => Promise<void>;
};

/** Groups that own workspaces and packages as a person does. */
export function OrganisationsSection({ userName, onChanged }: Props) {
  const organisations = useResource<{ organisations: Organisation[] }>("/auth/organisations");
  const [making, setMaking] = useState(false);
  const [said, setSaid] = useState<string>();
  const opener = useRef<HTMLButtonElement>(null);

  const close = () => {
    setMaking(false);
    opener.current?.focus();
  };
  const reload = async () => {
    await Promise.all([organisations.reload(), onChanged()]);
  };

  return (
    <Section
      part={ORGANISATIONS}
      said={said}
      action={
        <Button ref={opener} size="small" icon="plus" onClick={() => setMaking(true)}>
          New organisation
        </Button>
      }
    >
      {making && (
        <NewOrganisationForm
          onCancel={close}
          onMade={async () => {
            close();
            await reload();
          }}
        />
      )}
      <Loaded resource={organisations} what="Organisations">
        {({ organisations: list }) =>
          list.length === 0 ? (
            <Nothing title="No organisations.">
              People who work together make one: it owns workspaces and packages that all of them use.
            </Nothing>
          ) : (
            list.map((organisation) => (
              <OrganisationPart
                key={organisation.name}
                organisation={organisation}
                userName={userName}
                onChanged={reload}
                onGone={async (how) => {
                  await reload();
                  setSaid(`${organisation.name} ${how}`);
                  focusPart(ORGANISATIONS);
                }}
              />
            ))
          )
        }
      </Loaded>
    </Section>
  );
}
