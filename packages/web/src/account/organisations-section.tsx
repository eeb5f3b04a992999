import {
  MAX_NAME_LENGTH,
  type Organisation,
  type OrganisationInvitation,
  type OrganisationList,
} from "@backplane/contract/accounts";
import { type SubmitEvent, useRef, useState } from "react";
import { useAction } from "../calls/use-action.ts";
import { useResource } from "../calls/use-resource.ts";
import { checkField } from "../join/account-form.ts";
import { Button, FormButtons } from "../parts/button.tsx";
import { Field } from "../parts/field.tsx";
import { useOpener } from "../parts/use-opener.ts";
import { OrganisationPart } from "./organisation.tsx";
import { RowName } from "./rows.tsx";
import { EmptyList, focusSection, Loaded, Section, type SectionInfo } from "./section.tsx";

export const ORGANISATIONS: SectionInfo = { id: "organisations", title: "Organisations" };

type Props = {
  userName: string;
  /** The head of the page lists the organisations, too. */
  onChanged: () => Promise<void>;
};

/** Groups that own workspaces and packages, like a person. */
export function OrganisationsSection({ userName, onChanged }: Props) {
  const organisations = useResource<OrganisationList>("/auth/organisations");
  const form = useOpener();
  const [announcement, setAnnouncement] = useState<string>();

  const reload = async () => {
    await Promise.all([organisations.reload(), onChanged()]);
  };

  const gone = async (name: string, how: string) => {
    await reload();
    setAnnouncement(`${name} ${how}`);
    focusSection(ORGANISATIONS);
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
        {({ organisations: list, invitations }) => (
          <>
            {invitations.map((invitation) => (
              <InvitationPart
                key={invitation.name}
                invitation={invitation}
                userName={userName}
                onAnswered={(how) => gone(invitation.name, how)}
              />
            ))}
            {list.length + invitations.length === 0 && (
              <EmptyList title="No organisations.">
                For people who work together: an organisation owns workspaces and packages that all its members use.
              </EmptyList>
            )}
            {list.map((organisation) => (
              <OrganisationPart
                key={organisation.name}
                organisation={organisation}
                userName={userName}
                onChanged={reload}
                onGone={(how) => gone(organisation.name, how)}
              />
            ))}
          </>
        )}
      </Loaded>
    </Section>
  );
}

type InvitationProps = {
  invitation: OrganisationInvitation;
  userName: string;
  onAnswered: (how: "joined" | "declined") => Promise<void>;
};

/** An organisation that asks this person to join. Nothing of it is theirs before they accept. */
function InvitationPart({ invitation, userName, onAnswered }: InvitationProps) {
  const { name, display_name: displayName, role, invited_by: invitedBy } = invitation;
  const { busy, fault, act } = useAction();
  const path = `/auth/organisations/${encodeURIComponent(name)}`;
  const self = `${path}/members/${encodeURIComponent(userName)}`;
  return (
    <div className="organisation">
      <div className="organisation-head">
        <RowName
          icon="people"
          line={`${displayName === name ? "" : `${displayName} · `}${invitedBy ?? "Somebody"} invites you as ${role === "owner" ? "an owner" : "a member"}`}
          fault={fault}
        >
          {name}
          <span className="badge">invitation</span>
        </RowName>
        <div className="act">
          <Button
            size="small"
            busy={busy}
            label={`Join ${name}`}
            onClick={() => act({ method: "POST", path: `${path}/accept` }, () => onAnswered("joined"))}
          >
            Join
          </Button>
          <Button
            size="small"
            busy={busy}
            label={`Decline ${name}`}
            onClick={() => act({ method: "DELETE", path: self }, () => onAnswered("declined"))}
          >
            Decline
          </Button>
        </div>
      </div>
    </div>
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
