import type { Account } from "@backplane/contract/accounts";
import { shortDate } from "../parts/times.ts";
import { AskTwice } from "./ask-twice.tsx";
import { RowName } from "./row-name.tsx";
import { useAction } from "./use-action.ts";

type Props = { person: Account; isSelf: boolean; onRemoved: () => Promise<void> };

export function PersonRow({ person, isSelf, onRemoved }: Props) {
  const { name, display_name: displayName, email, is_owner: isOwner, created_at: createdAt } = person;
  const { busy, fault, act } = useAction();
  const since = shortDate(new Date(createdAt));
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
          <AskTwice
            label="Remove"
            fullLabel={`Remove ${name}`}
            confirm="Remove account"
            busy={busy}
            onConfirm={() => act({ method: "DELETE", path: `/auth/users/${encodeURIComponent(name)}` }, onRemoved)}
          />
        )}
      </td>
    </tr>
  );
}
