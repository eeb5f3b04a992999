import { MAX_NAME_LENGTH, type Organisation, type Role } from "@backplane/contract/accounts";
import { type SubmitEvent, useId, useRef, useState } from "react";
import { useAction } from "../calls/use-action.ts";
import { Button } from "../parts/button.tsx";
import { Field } from "../parts/field.tsx";
import { Select } from "../parts/select.tsx";
import { counted } from "../parts/words.ts";
import { ConfirmButton, RowName } from "./rows.tsx";

type Props = {
  organisation: Organisation;
  userName: string;
  onChanged: () => Promise<void>;
  /** It was removed, or this person left it. */
  onGone: (how: "removed" | "left") => Promise<void>;
};

export function OrganisationPart({ organisation, userName, onChanged, onGone }: Props) {
  const { name, display_name: displayName, members, invited } = organisation;
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
          line={`${displayName === "" || displayName === name ? "" : `${displayName} · `}${counted(members.length, "member")}, you are ${isOwner ? "an owner" : "a member"}`}
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
            <ConfirmButton
              label="Leave"
              fullLabel={`Leave ${name}`}
              confirm="Leave organisation"
              busy={busy}
              onConfirm={() =>
                act({ method: "DELETE", path: `${path}/members/${encodeURIComponent(userName)}` }, () => onGone("left"))
              }
            />
          )}
          {isOwner && members.length === 1 && (
            <ConfirmButton
              label="Remove"
              fullLabel={`Remove ${name}`}
              confirm="Remove organisation"
              consequence="Its workspaces are deleted with their files. Its packages go to the owner of this Backplane."
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
          {invited.map((person) => (
            <InvitedRow key={person.name} path={path} name={person.name} mayChange={isOwner} onChanged={onChanged} />
          ))}
        </ul>
        {isOwner && <InviteForm path={path} onInvited={onChanged} />}
      </div>
    </div>
  );
}

type MemberRowProps = {
  /** The organisation's path. */
  path: string;
  member: Organisation["members"][number];
  isSelf: boolean;
  mayChange: boolean;
  onChanged: () => Promise<void>;
  onLeft: () => Promise<void>;
};

const roles: Record<Role, string> = { owner: "Owner", member: "Member" };

function MemberRow({ path, member: { name, role }, isSelf, mayChange, onChanged, onLeft }: MemberRowProps) {
  const changing = useAction();
  const removing = useAction();
  const memberPath = `${path}/members/${encodeURIComponent(name)}`;
  return (
    <li className="organisation-head">
      <RowName icon="person" fault={changing.fault ?? removing.fault}>
        {name}
        {isSelf && <span className="badge">you</span>}
        {!mayChange && role === "owner" && <span className="badge">owner</span>}
      </RowName>
      {mayChange && (
        <div className="act">
          <Select
            aria-label={`Role of ${name}`}
            value={role}
            disabled={changing.busy}
            onChange={(event) =>
              changing.act({ method: "PUT", path: memberPath, body: { role: event.target.value } }, onChanged)
            }
          >
            {Object.entries(roles).map(([value, word]) => (
              <option key={value} value={value}>
                {word}
              </option>
            ))}
          </Select>
          <ConfirmButton
            label={isSelf ? "Leave" : "Remove"}
            fullLabel={isSelf ? "Leave the organisation" : `Remove ${name}`}
            confirm={isSelf ? "Leave organisation" : "Remove member"}
            busy={removing.busy}
            onConfirm={() => removing.act({ method: "DELETE", path: memberPath }, isSelf ? onLeft : onChanged)}
          />
        </div>
      )}
    </li>
  );
}

type InvitedRowProps = { path: string; name: string; mayChange: boolean; onChanged: () => Promise<void> };

/** Somebody who has not accepted yet. */
function InvitedRow({ path, name, mayChange, onChanged }: InvitedRowProps) {
  const { busy, fault, act } = useAction();
  return (
    <li className="organisation-head">
      <RowName icon="person" fault={fault}>
        {name}
        <span className="badge">invited</span>
      </RowName>
      {mayChange && (
        <div className="act">
          <Button
            size="small"
            busy={busy}
            label={`Withdraw the invitation of ${name}`}
            onClick={() => act({ method: "DELETE", path: `${path}/members/${encodeURIComponent(name)}` }, onChanged)}
          >
            Withdraw
          </Button>
        </div>
      )}
    </li>
  );
}

/** Invites someone who has an account here. They become a member when they accept. */
function InviteForm({ path, onInvited }: { path: string; onInvited: () => Promise<void> }) {
  const [name, setName] = useState("");
  const field = useRef<HTMLInputElement>(null);
  const { busy, fault, setFault, act } = useAction();

  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const wanted = name.trim();
    if (wanted === "") {
      setFault("Type the name of someone who has an account here, such as ada.");
      return field.current?.focus();
    }
    const member = `${path}/members/${encodeURIComponent(wanted)}`;
    void act({ method: "PUT", path: member, body: { role: "member" } }, async () => {
      setName("");
      await onInvited();
      field.current?.focus();
    });
  };

  return (
    <form className="part-form with-button" onSubmit={submit} noValidate>
      <Field
        ref={field}
        label="Invite a member"
        name="member"
        value={name}
        onChange={setName}
        hint="The name of someone who has an account here. They join by accepting on their account page."
        fault={fault}
        maxLength={MAX_NAME_LENGTH}
      />
      <Button type="submit" busy={busy}>
        Invite
      </Button>
    </form>
  );
}
