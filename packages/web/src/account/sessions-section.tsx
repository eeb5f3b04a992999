import { SESSION_LIMITS, type Session } from "@backplane/contract/accounts";
import { useState } from "react";
import { useAction } from "../calls/use-action.ts";
import { useResource } from "../calls/use-resource.ts";
import { Note } from "../parts/note.tsx";
import { ends, happened, lastUse } from "../parts/times.ts";
import { useNow } from "../parts/use-now.ts";
import { counted } from "../parts/words.ts";
import { ConfirmButton, Rename, RowName, RowTable, useRename } from "./rows.tsx";
import { focusSection, Loaded, Section, type SectionInfo } from "./section.tsx";

export const SESSIONS: SectionInfo = { id: "sessions", title: "Sessions" };

const EVERY_MINUTE_MS = 60_000;

/** Everything that has access in this person's name. */
export function SessionsSection() {
  const sessions = useResource<{ sessions: Session[] }>("/auth/sessions");
  const now = useNow(EVERY_MINUTE_MS);
  const [announcement, setAnnouncement] = useState<string>();
  const { busy, fault, act } = useAction();
  const others = sessions.value?.sessions.some(({ current }) => !current) ?? false;

  const changed = async (what: string) => {
    await sessions.reload();
    setAnnouncement(what);
    focusSection(SESSIONS);
  };

  return (
    <Section
      info={SESSIONS}
      announcement={announcement}
      fault={fault}
      action={
        others && (
          <ConfirmButton
            label="End all others"
            confirm="End all but this one"
            look="danger"
            busy={busy}
            onConfirm={() =>
              act<{ ended: number }>({ method: "DELETE", path: "/auth/sessions" }, ({ ended }) =>
                changed(`${counted(ended, "session")} ended`),
              )
            }
          />
        )
      }
    >
      <Loaded resource={sessions} what="Sessions">
        {({ sessions: list }) => (
          <>
            {list.map((session) => session.refused && <Refusal key={session.id} session={session} now={now} />)}
            <RowTable columns={["Session", "From", "Last used", "Ends"]} last="End">
              {list.toSorted(currentFirst).map((session) => (
                <SessionRow
                  key={session.id}
                  session={session}
                  now={now}
                  onRenamed={sessions.reload}
                  onEnded={() => changed(`${session.name} ended`)}
                />
              ))}
            </RowTable>
          </>
        )}
      </Loaded>
    </Section>
  );
}

/** Otherwise in the server's order: last used first. */
const currentFirst = (a: Session, b: Session): number => Number(b.current) - Number(a.current);

function Refusal({ session: { name, refused }, now }: { session: Session; now: Date }) {
  if (!refused) return null;
  return (
    <div className="part-note">
      <Note tone="warn">
        <strong>
          Another caller asked for the token of <bdi>{name}</bdi>
        </strong>{" "}
        and was refused: {refused.address}, {happened(new Date(refused.at), now)}. If you do not know that address, end
        the session.
      </Note>
    </div>
  );
}

type Props = { session: Session; now: Date; onRenamed: () => Promise<void>; onEnded: () => Promise<void> };

/** Kind and program, unless the name already says them. */
function kindLine({ kind, name, program }: Session): string {
  const what = kind === "Browser" ? "Browser" : "Application, name not verified";
  return program === null || program === name ? what : `${what} · ${program}`;
}

function SessionRow({ session, now, onRenamed, onEnded }: Props) {
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
          <ConfirmButton
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
