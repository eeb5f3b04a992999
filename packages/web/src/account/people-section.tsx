import type { Account, Invitation, NewInvitation } from "@backplane/contract/accounts";
import { useState } from "react";
import { useResource } from "../calls/use-resource.ts";
import { Button } from "../parts/button.tsx";
import { ends, lengthOf } from "../parts/times.ts";
import { InvitationRow } from "./invitation-row.tsx";
import { Loaded } from "./loaded.tsx";
import { PEOPLE } from "./parts-of-account.ts";
import { PersonRow } from "./person-row.tsx";
import { focusPart, Section } from "./section.tsx";
import { ShownOnce } from "./shown-once.tsx";
import { useAction } from "./use-action.ts";

/** For the owner: who has an account here, and who may make one. */
export function PeopleSection({ userName }: { userName: string }) {
  const people = useResource<{ users: Account[] }>("/auth/users");
  const invitations = useResource<{ invitations: Invitation[] }>("/auth/invitations");
  const [made, setMade] = useState<NewInvitation>();
  const [said, setSaid] = useState<string>();
  const { busy, fault, act } = useAction();
  const now = new Date();

  const gone = async (what: string) => {
    await Promise.all([people.reload(), invitations.reload()]);
    setSaid(what);
    focusPart(PEOPLE);
  };

  return (
    <Section
      part={PEOPLE}
      fault={fault}
      said={said}
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
          Invite somebody
        </Button>
      }
    >
      {made && (
        <ShownOnce icon="link" secret={made.url} onHide={() => setMade(undefined)}>
          <strong>Invitation made.</strong> Send this link to one person; it works once, for{" "}
          {lengthOf(Math.round((Date.parse(made.expires_at) - Date.parse(made.created_at)) / 1_000))}. It is not shown
          again.
        </ShownOnce>
      )}
      <Loaded resource={people} what="People">
        {({ users }) => (
          <table className="table">
            <thead>
              <tr>
                <th>Person</th>
                <th className="hide">Email</th>
                <th className="hide">Since</th>
                <th>
                  <span className="sr">Remove</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {users.map((person) => (
                <PersonRow
                  key={person.name}
                  person={person}
                  isSelf={person.name === userName}
                  onRemoved={() => gone(`${person.name} removed`)}
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
                      return gone("Invitation taken back");
                    }}
                  />
                ))}
            </tbody>
          </table>
        )}
      </Loaded>
    </Section>
  );
}
