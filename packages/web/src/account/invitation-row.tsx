import type { Invitation } from "@backplane/contract/accounts";
import { AskTwice } from "./ask-twice.tsx";
import { RowName } from "./row-name.tsx";
import { useAction } from "./use-action.ts";

type Props = { invitation: Invitation; until: string; onRevoked: () => Promise<void> };

/** A link that nobody has used yet. */
export function InvitationRow({ invitation: { id, note }, until, onRevoked }: Props) {
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
        <AskTwice
          label="Take back"
          fullLabel="Take back the invitation"
          confirm="Take it back"
          busy={busy}
          onConfirm={() => act({ method: "DELETE", path: `/auth/invitations/${encodeURIComponent(id)}` }, onRevoked)}
        />
      </td>
    </tr>
  );
}
