import type { SandboxCondition } from "@backplane/contract/panels";
import { type RefObject, useState, useSyncExternalStore } from "react";
import { Note } from "../../../parts/note.tsx";
import { Console } from "./console.tsx";
import type { SandboxSession } from "./sandbox-session.ts";

type Props = {
  session: SandboxSession;
  /** Holds the frame. It is put in its place once and never moved: a moved frame loads again. */
  holder: HTMLElement;
  inputRef: RefObject<HTMLTextAreaElement | null>;
};

const FAULTS: Partial<Record<SandboxCondition, string>> = {
  stuck: "The code does not finish. Reset the sandbox to go on.",
  gone: "The code has left its page. Reset the sandbox to go on.",
};

export function Sandbox({ session, holder, inputRef }: Props) {
  const { standing, lines, isHeaderHidden, drivenBy, isResetting } = useSyncExternalStore(
    session.subscribe,
    session.view,
  );
  const [place] = useState(() => (slot: HTMLElement | null) => {
    if (slot && holder.parentElement !== slot) slot.append(holder);
  });
  const fault = FAULTS[standing];

  return (
    <div className="panel-root">
      {!isHeaderHidden && (
        <div className="panel-tools">
          <span className="sandbox-driver">
            {drivenBy === undefined ? (
              <span className="muted">No program drives this panel</span>
            ) : (
              <>
                <span className="driven-name" title={drivenBy}>
                  {drivenBy}
                </span>
                <span className="muted">drives this panel</span>
              </>
            )}
          </span>
          <span className="grow" />
          <ResetButton isResetting={isResetting} onReset={session.reset} />
        </div>
      )}
      <div className="panel-view" aria-busy={standing === "loading"}>
        <div className="sandbox-slot" ref={place} />
        {fault !== undefined && (
          <div className="sandbox-fault">
            <Note tone="danger" role="alert">
              <p>{fault}</p>
              {isHeaderHidden && <ResetButton isResetting={isResetting} onReset={session.reset} />}
            </Note>
          </div>
        )}
      </div>
      <Console lines={lines} inputRef={inputRef} onRun={(code) => void session.submit(code)} onClear={session.clear} />
    </div>
  );
}

function ResetButton({ isResetting, onReset }: { isResetting: boolean; onReset(): Promise<void> }) {
  return (
    <button
      className="btn small quiet"
      type="button"
      aria-disabled={isResetting || undefined}
      title="A new, empty frame. What the code declared is gone."
      onClick={() => void onReset()}
    >
      <svg className="i" viewBox="0 0 16 16" aria-hidden="true">
        <path d="M13.25 8A5.25 5.25 0 1 1 11.6 4.2L13.25 5.75M13.25 2.5v3.25H10" />
      </svg>
      <span>Reset</span>
    </button>
  );
}
