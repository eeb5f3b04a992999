import { MAX_NAME_LENGTH, type Organisation } from "@backplane/contract/accounts";
import { type SubmitEvent, useRef, useState } from "react";
import { useAction } from "../calls/use-action.ts";
import { useResource } from "../calls/use-resource.ts";
import { checkField } from "../join/account-form.ts";
import { Button } from "../parts/button.tsx";
import { Field } from "../parts/field.tsx";
import { OrganisationPart } from "./organisation.tsx";
import { ORGANISATIONS } from "./parts-of-account.ts";
import { focusPart, Loaded, Nothing, Section } from "./section.tsx";

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

type NewOrganisationFormProps = { onMade: () => void; onCancel: () => void };

function NewOrganisationForm({ onMade, onCancel }: NewOrganisationFormProps) {
  const [name, setName] = useState("");
  const field = useRef<HTMLInputElement>(null);
  const { busy, fault, setFault, act } = useAction();

  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const wrong = checkField("name", name.trim());
    if (wrong !== undefined) {
      setFault(wrong);
      return field.current?.focus();
    }
    void act<Organisation>({ method: "POST", path: "/auth/organisations", body: { name: name.trim() } }, onMade);
  };

  return (
    <form className="part-form" onSubmit={submit} noValidate>
      <Field
        ref={field}
        label="Name"
        name="organisation"
        value={name}
        onChange={setName}
        hint="Packages and workspaces go by it, such as fieldworks. It cannot be that of a person here."
        fault={fault}
        maxLength={MAX_NAME_LENGTH}
        autoFocus
      />
      <div className="row">
        <Button type="submit" look="primary" busy={busy}>
          Make the organisation
        </Button>
        <Button look="quiet" onClick={onCancel}>
          Cancel
        </Button>
      </div>
    </form>
  );
}
