import { SESSION_LIMITS, type Session } from "@backplane/contract/accounts";
import { ends, lastUse } from "../parts/times.ts";
import { AskTwice } from "./ask-twice.tsx";
import { Rename } from "./rename.tsx";
import { RowName } from "./row-name.tsx";
import { useAction } from "./use-action.ts";
import { useRename } from "./use-rename.ts";

type Props = { session: Session; now: Date; onRenamed: () => Promise<void>; onEnded: () => Promise<void> };

/** Kind and program, as far as the name does not say them already. */
function kindLine({ kind, name, program }: Session): string {
  const what = kind === "Browser" ? "Browser" : "Application, name not verified";
  return program === null || program === name ? what : `${what} · ${program}`;
}

export function SessionRow({ session, now, onRenamed, onEnded }: Props) {
  const { id, kind, name, address, current, refused } = session;
  const ending = useAction();
  const path = `/auth/sessions/${encodeURIComponent(id)}`;
  const renaming = useRename(path, onRenamed);
  const used = current ? "now" : lastUse(new Date(session.last_used_at), now);
  const end = ends(new Date(session.expires_at), now);
  return (
    <tr>
      <td>
        <RowName
          icon={kind === "Browser" ? "browser" : "application"}
          line={kindLine(session)}
          narrow={`${address} · ${used} · ends ${end}`}
          fault={renaming.fault ?? ending.fault}
        >
          <Rename
            name={name}
            maxLength={SESSION_LIMITS.maxNameLength}
            busy={renaming.busy}
            onRename={renaming.rename}
          />
          {current && <span className="badge ok">this browser</span>}
          {refused && <span className="badge warn">second caller refused</span>}
        </RowName>
      </td>
      <td className="hide">
        <code>{address}</code>
      </td>
      <td className="hide nowrap">{used}</td>
      <td className="hide nowrap">{end}</td>
      <td className="act">
        {!current && (
          <AskTwice
            label="End"
            fullLabel={`End ${name}`}
            confirm="End session"
            busy={ending.busy}
            onConfirm={() => ending.act({ method: "DELETE", path }, onEnded)}
          />
        )}
      </td>
    </tr>
  );
}
