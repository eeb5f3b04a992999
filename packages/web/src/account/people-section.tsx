import type { Account, Invitation, NewInvitation, ResetLink } from "@backplane/contract/accounts";
import { useState } from "react";
import { useAction } from "../calls/use-action.ts";
import { useResource } from "../calls/use-resource.ts";
import { Button } from "../parts/button.tsx";
import { ends, lengthOf, shortDate } from "../parts/times.ts";
import { ConfirmButton, RowName, RowTable, ShownOnce } from "./rows.tsx";
import { focusSection, Loaded, Section, type SectionInfo } from "./section.tsx";

export const PEOPLE: SectionInfo = { id: "people", title: "People" };

/** For the owner: who has an account here, and open invitations. */
export function PeopleSection({ userName }: { userName: string }) {
  const people = useResource<{ users: Account[] }>("/auth/users");
  const invitations = useResource<{ invitations: Invitation[] }>("/auth/invitations");
  const [made, setMade] = useState<NewInvitation>();
  const [resetting, setResetting] = useState<{ name: string; link: ResetLink }>();
  const [announcement, setAnnouncement] = useState<string>();
  const { busy, fault, act } = useAction();
  const now = new Date();

  const goneFor = (name: string) => {
    if (resetting?.name === name) setResetting(undefined);
    return gone(`${name} removed`);
  };

  const gone = async (what: string) => {
    await Promise.all([people.reload(), invitations.reload()]);
    setAnnouncement(what);
    focusSection(PEOPLE);
  };

  return (
    <Section
      info={PEOPLE}
      fault={fault}
      announcement={announcement}
      action={
        <Button
          size="small"
          icon="plus"
          busy={busy}
          onClick={() =>
            act<NewInvitation>({ method: "POST", path: "/auth/invitations", body: {} }, async (invitation) => {
              setMade(invitation);
              await invitations.reload();
            })
          }
        >
          Invite someone
        </Button>
      }
    >
      {made && (
        <ShownOnce icon="link" secret={made.url} onHide={() => setMade(undefined)}>
          <strong>Invitation created.</strong> Send this link to one person; it works once, for{" "}
          {lengthOf(Math.round((Date.parse(made.expires_at) - Date.parse(made.created_at)) / 1_000))}. It is not shown
          again.
        </ShownOnce>
      )}
      {resetting && (
        <ShownOnce icon="link" secret={resetting.link.url} onHide={() => setResetting(undefined)}>
          <strong>Link for {resetting.name} created.</strong> Send it to {resetting.name}, who then chooses a new
          password. It works once, until {ends(new Date(resetting.link.expires_at), now)}, and ends all their sessions
          and API keys. It is not shown again.
        </ShownOnce>
      )}
      <Loaded resource={people} what="People">
        {({ users }) => (
          <RowTable columns={["Person", "Email", "Since"]} last="Change">
            {users.map((person) => (
              <PersonRow
                key={person.name}
                person={person}
                isSelf={person.name === userName}
                onReset={(link) => setResetting({ name: person.name, link })}
                onRemoved={() => goneFor(person.name)}
              />
            ))}
            {invitations.value?.invitations
              .filter(({ used_by: usedBy, expires_at: expiresAt }) => usedBy === null && new Date(expiresAt) > now)
              .map((invitation) => (
                <InvitationRow
                  key={invitation.id}
                  invitation={invitation}
                  until={ends(new Date(invitation.expires_at), now)}
                  onRevoked={() => {
                    if (made?.id === invitation.id) setMade(undefined);
                    return gone("Invitation revoked");
                  }}
                />
              ))}
          </RowTable>
        )}
      </Loaded>
    </Section>
  );
}

type Props = {
  person: Account;
  isSelf: boolean;
  onReset: (link: ResetLink) => void;
  onRemoved: () => Promise<void>;
};

function PersonRow({ person, isSelf, onReset, onRemoved }: Props) {
  const { name, display_name: displayName, email, is_owner: isOwner, created_at: createdAt } = person;
  const { busy, fault, act } = useAction();
  const since = shortDate(new Date(createdAt));
  const path = `/auth/users/${encodeURIComponent(name)}`;
  return (
    <tr>
      <td>
        <RowName
          icon="person"
          line={displayName === "" || displayName === name ? undefined : <bdi>{displayName}</bdi>}
          narrow={`${email} · since ${since}`}
          fault={fault}
        >
          {name}
          {isOwner && <span className="badge">owner</span>}
          {isSelf && <span className="badge">you</span>}
        </RowName>
      </td>
      <td className="hide">{email}</td>
      <td className="hide nowrap">{since}</td>
      <td className="act">
        {!isOwner && !isSelf && (
          <div className="row-buttons">
            <Button
              size="small"
              label={`New password for ${name}`}
              busy={busy}
              onClick={() => act<ResetLink>({ method: "POST", path: `${path}/reset-link` }, onReset)}
            >
              New password
            </Button>
            <ConfirmButton
              label="Remove"
              fullLabel={`Remove ${name}`}
              confirm="Remove account"
              consequence="Workspaces with their files, and organisations that nobody else is in, are deleted. Packages become yours."
              busy={busy}
              onConfirm={() => act({ method: "DELETE", path }, onRemoved)}
            />
          </div>
        )}
      </td>
    </tr>
  );
}

type InvitationRowProps = { invitation: Invitation; until: string; onRevoked: () => Promise<void> };

/** An invitation that nobody has used yet. */
function InvitationRow({ invitation: { id, note }, until, onRevoked }: InvitationRowProps) {
  const { busy, fault, act } = useAction();
  return (
    <tr>
      <td>
        <RowName icon="link" line={note === "" ? undefined : note} narrow={`open until ${until}`} fault={fault}>
          Open invitation
        </RowName>
      </td>
      <td className="hide muted">not used yet</td>
      <td className="hide nowrap">until {until}</td>
      <td className="act">
        <ConfirmButton
          label="Revoke"
          fullLabel="Revoke the invitation"
          confirm="Revoke invitation"
          busy={busy}
          onConfirm={() => act({ method: "DELETE", path: `/auth/invitations/${encodeURIComponent(id)}` }, onRevoked)}
        />
      </td>
    </tr>
  );
}
