import { MAX_NAME_LENGTH, type Organisation } from "@backplane/contract/accounts";
import { type SubmitEvent, useRef, useState } from "react";
import { useAction } from "../calls/use-action.ts";
import { useResource } from "../calls/use-resource.ts";
import { checkField } from "../join/account-form.ts";
import { Button, FormButtons } from "../parts/button.tsx";
import { Field } from "../parts/field.tsx";
import { useOpener } from "../parts/use-opener.ts";
import { OrganisationPart } from "./organisation.tsx";
import { EmptyList, focusSection, Loaded, Section, type SectionInfo } from "./section.tsx";

export const ORGANISATIONS: SectionInfo = { id: "organisations", title: "Organisations" };

type Props = {
  userName: string;
  /** The head of the page lists the organisations, too. */
  onChanged: () => Promise<void>;
};

/** Groups that own workspaces and packages, like a person. */
export function OrganisationsSection({ userName, onChanged }: Props) {
  const organisations = useResource<{ organisations: Organisation[] }>("/auth/organisations");
  const form = useOpener();
  const [announcement, setAnnouncement] = useState<string>();

  const reload = async () => {
    await Promise.all([organisations.reload(), onChanged()]);
  };

  return (
    <Section
      info={ORGANISATIONS}
      announcement={announcement}
      action={
        <Button ref={form.opener} size="small" icon="plus" onClick={form.open}>
          New organisation
        </Button>
      }
    >
      {form.isOpen && (
        <NewOrganisationForm
          onCancel={form.close}
          onMade={async () => {
            form.close();
            await reload();
          }}
        />
      )}
      <Loaded resource={organisations} what="Organisations">
        {({ organisations: list }) =>
          list.length === 0 ? (
            <EmptyList title="No organisations.">
              For people who work together: an organisation owns workspaces and packages that all its members use.
            </EmptyList>
          ) : (
            list.map((organisation) => (
              <OrganisationPart
                key={organisation.name}
                organisation={organisation}
                userName={userName}
                onChanged={reload}
                onGone={async (how) => {
                  await reload();
                  setAnnouncement(`${organisation.name} ${how}`);
                  focusSection(ORGANISATIONS);
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
        hint="Its packages and workspaces carry this name, such as fieldworks. It cannot be the name of a person here."
        fault={fault}
        maxLength={MAX_NAME_LENGTH}
        autoFocus
      />
      <FormButtons submit="Create organisation" busy={busy} onCancel={onCancel} />
    </form>
  );
}
