import { lazy, Suspense, useState, useSyncExternalStore } from "react";
import { Note } from "../../../../parts/note.tsx";
import type { WorkspaceName } from "../../../calls.ts";
import { ConflictNote } from "../../code-editor/conflict-note.tsx";
import { nameOf } from "../../project-files/paths.ts";
import type { Compared } from "../design-files.ts";
import type { Session } from "../session.ts";

const ConflictDialog = lazy(() => import("./conflict-dialog.tsx").then((m) => ({ default: m.ConflictDialog })));

type Props = { workspace: WorkspaceName; session: Session; readOnly: string | undefined };

/** What people must know before they go on. */
export function DesignNotes({ workspace, session, readOnly }: Props) {
  useSyncExternalStore(session.subscribe, session.state);
  const { files } = session;
  const fault = files.fault();
  const [comparing, setComparing] = useState<{ path: string; compared: Compared }>();

  const compare = (path: string) => {
    const compared = files.compare(path);
    if (compared) setComparing({ path, compared });
    else session.say(`${nameOf(path)} cannot be compared: what was saved is not a schematic.`);
  };
  const copy = async (path: string) => {
    const saved = await files.saveCopy(path);
    session.say("copy" in saved ? `Saved as ${nameOf(saved.copy)}` : `Not saved. ${saved.fault}`);
  };

  return (
    <>
      {readOnly !== undefined && (
        <p className="schematic-note" role="status">
          {readOnly}
        </p>
      )}
      {files.conflicts().map(({ path, isGone }) => (
        <div key={path}>
          <ConflictNote
            what={nameOf(path)}
            isGone={isGone}
            onTheirs={() => void files.resolve(path, () => "theirs")}
            onMine={() => void files.resolve(path, () => "mine")}
            onCompare={() => compare(path)}
          />
        </div>
      ))}
      {fault !== undefined && (
        <Note tone="danger" role="alert">
          {fault}
        </Note>
      )}
      {comparing && (
        <Suspense>
          <ConflictDialog
            {...{ workspace, ...comparing }}
            onDecide={(choose) => {
              setComparing(undefined);
              void files.resolve(comparing.path, choose);
            }}
            onCopy={() => void copy(comparing.path)}
            onClose={() => setComparing(undefined)}
          />
        </Suspense>
      )}
    </>
  );
}
