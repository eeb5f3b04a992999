import type { Organisation } from "@backplane/contract/accounts";
import { useId, useState } from "react";
import { Button } from "../parts/button.tsx";
import { AddMemberForm } from "./add-member-form.tsx";
import { AskTwice } from "./ask-twice.tsx";
import { MemberRow } from "./member-row.tsx";
import { RowName } from "./row-name.tsx";
import { useAction } from "./use-action.ts";

type Props = {
  organisation: Organisation;
  userName: string;
  onChanged: () => Promise<void>;
  /** It is gone, or this person is no more in it. */
  onGone: (how: "removed" | "left") => Promise<void>;
};

const counted = (members: number): string => (members === 1 ? "1 member" : `${members} members`);

export function OrganisationPart({ organisation, userName, onChanged, onGone }: Props) {
  const { name, display_name: displayName, members } = organisation;
  const [open, setOpen] = useState(false);
  const { busy, fault, act } = useAction();
  const listId = useId();
  const path = `/auth/organisations/${encodeURIComponent(name)}`;
  const isOwner = members.some((member) => member.name === userName && member.role === "owner");
  return (
    <div className="organisation">
      <div className="organisation-head">
        <RowName
          icon="people"
          line={`${displayName === "" || displayName === name ? "" : `${displayName} · `}${counted(members.length)}, you are ${isOwner ? "an owner" : "a member"}`}
          fault={fault}
        >
          {name}
        </RowName>
        <div className="act">
          <Button
            size="small"
            label={`${open ? "Hide" : "Show"} members of ${name}`}
            expanded={open}
            controls={listId}
            onClick={() => setOpen(!open)}
          >
            {open ? "Hide members" : "Members"}
          </Button>
          {!isOwner && (
            <AskTwice
              label="Leave"
              fullLabel={`Leave ${name}`}
              confirm="Leave it"
              busy={busy}
              onConfirm={() =>
                act({ method: "DELETE", path: `${path}/members/${encodeURIComponent(userName)}` }, () => onGone("left"))
              }
            />
          )}
          {isOwner && members.length === 1 && (
            <AskTwice
              label="Remove"
              fullLabel={`Remove ${name}`}
              confirm="Remove organisation"
              busy={busy}
              onConfirm={() => act({ method: "DELETE", path }, () => onGone("removed"))}
            />
          )}
        </div>
      </div>
      <div id={listId} hidden={!open}>
        <ul className="members" aria-label={`Members of ${name}`}>
          {members.map((member) => (
            <MemberRow
              key={member.name}
              path={path}
              member={member}
              isSelf={member.name === userName}
              mayChange={isOwner}
              onChanged={onChanged}
              onLeft={() => onGone("left")}
            />
          ))}
        </ul>
        {isOwner && <AddMemberForm path={path} onAdded={onChanged} />}
      </div>
    </div>
  );
}
