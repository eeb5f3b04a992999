import type { Organisation, Role } from "@backplane/contract/accounts";
import { AskTwice } from "./ask-twice.tsx";
import { RowName } from "./row-name.tsx";
import { useAction } from "./use-action.ts";

type Props = {
  /** Of the organisation. */
  path: string;
  member: Organisation["members"][number];
  isSelf: boolean;
  mayChange: boolean;
  onChanged: () => Promise<void>;
  onLeft: () => Promise<void>;
};

const roles: Record<Role, string> = { owner: "Owner", member: "Member" };

export function MemberRow({ path, member: { name, role }, isSelf, mayChange, onChanged, onLeft }: Props) {
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
          <select
            className="select"
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
          </select>
          <AskTwice
            label={isSelf ? "Leave" : "Remove"}
            fullLabel={isSelf ? "Leave the organisation" : `Remove ${name}`}
            confirm={isSelf ? "Leave it" : "Remove member"}
            busy={removing.busy}
            onConfirm={() => removing.act({ method: "DELETE", path: memberPath }, isSelf ? onLeft : onChanged)}
          />
        </div>
      )}
    </li>
  );
}
