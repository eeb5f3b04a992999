import { PANELS_LIMITS } from "@backplane/contract/panels";
import { useCallback, useEffect, useState, useSyncExternalStore } from "react";
import { Button } from "../../../parts/button.tsx";
import type { WorkspaceName } from "../../calls.ts";
import type { PanelContext } from "../../panel.ts";
import { keepDraft, takeDraft } from "../code-editor/drafts.ts";
import { listFiles, readFile, removeFile, writeFile } from "../project-files/file-calls.ts";
import { nameOf } from "../project-files/paths.ts";
import { useFollowFiles } from "../project-files/use-follow-files.ts";
import { DesignFiles, MAX_SHEET_BYTES } from "./design-files.ts";
import { DesignView } from "./design-view.tsx";
import { Session } from "./session.ts";
import { writeSheets } from "./write-sheets.ts";

type Props = {
  context: PanelContext;
  path: string;
  isHidden: boolean;
  takesFocus: { current: boolean };
  onPick: () => void;
};

const DRAFT_AFTER_MS = 1_000;

/** One design of the project: loads it, and follows what others save. */
export function OpenDesign({ context, path, isHidden, takesFocus, onPick }: Props) {
  const [session] = useState(() => {
    const { workspace } = context;
    const files = new DesignFiles(path, {
      file: (file) => ({
        read: (knownEtag) => readFile(workspace, file, { maxBytes: MAX_SHEET_BYTES, knownEtag }),
        write: (bytes, expected) => writeFile(workspace, file, bytes, expected),
      }),
      writeTogether: (writes) => writeSheets(workspace, writes),
      remove: (file, etag) => removeFile(workspace, file, etag),
    });
    return new Session(files);
  });
  const state = useSyncExternalStore(session.subscribe, session.state);
  const isDirty = session.files.unsaved().length > 0;

  useEffect(() => {
    const { sheet } = context.state();
    const restore = (file: string) => takeDraft(window.sessionStorage, context.tabId, file);
    void session.load(typeof sheet === "string" ? sheet : undefined).then(() => session.restoreDrafts(restore));
    void readProject(context.workspace, path).then((text) => session.setProject(text));
  }, [session, context, path]);
  useFollow(session, context);
  useDrafts(session, context.tabId);
  useTitle(context, nameOf(path), isDirty);

  if (state.phase === "loading") {
    return (
      <p className="schematic-wait" role="status" hidden={isHidden}>
        Loading {nameOf(path)}
      </p>
    );
  }
  if (state.phase === "refused") {
    return (
      <div className="panel-message" hidden={isHidden}>
        <h3>{nameOf(path)} is not shown</h3>
        <p role="alert">{state.fault}</p>
        <div className="row">
          <Button onClick={() => void session.load(undefined)}>Try again</Button>
          <Button onClick={onPick}>Open another schematic</Button>
        </div>
      </div>
    );
  }
  return (
    <DesignView
      context={context}
      session={session}
      path={path}
      isHidden={isHidden}
      takesFocus={takesFocus}
      onPick={onPick}
    />
  );
}

/** The settings of the KiCad project beside the root sheet, if there are any. */
async function readProject(workspace: WorkspaceName, root: string): Promise<string | undefined> {
  const path = root.replace(/(?:\.kicad_sch)?$/i, ".kicad_pro");
  const listed = await listFiles(workspace);
  if (!listed.ok || !listed.value.files.some((file) => file.path === path)) return undefined;
  const read = await readFile(workspace, path, { maxBytes: PANELS_LIMITS.maxTextFileBytes });
  return read.kind === "read" ? new TextDecoder().decode(read.bytes) : undefined;
}

/** Unsaved changes of a tab that is closed or reloaded come back. */
function useDrafts({ files }: Session, tabId: string): void {
  useEffect(() => {
    const keep = () => {
      const unsaved = files.unsaved();
      const isSaved = (path: string) => !unsaved.some((each) => each.path === path);
      for (const path of files.paths().filter(isSaved)) takeDraft(window.sessionStorage, tabId, path);
      for (const { path, text, etag } of unsaved) keepDraft(window.sessionStorage, { tabId, path, text, etag });
    };
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = files.onChange(() => {
      clearTimeout(timer);
      timer = setTimeout(keep, DRAFT_AFTER_MS);
    });
    window.addEventListener("pagehide", keep);
    return () => {
      stop();
      clearTimeout(timer);
      window.removeEventListener("pagehide", keep);
      keep();
    };
  }, [files, tabId]);
}

/** The tab marks unsaved changes. */
function useTitle({ setTitle }: PanelContext, name: string, isDirty: boolean): void {
  useEffect(() => {
    setTitle(`${isDirty ? "● " : ""}${name}`);
    if (!isDirty) return;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener("beforeunload", warn);
    return () => window.removeEventListener("beforeunload", warn);
  }, [setTitle, name, isDirty]);
}

function useFollow({ files }: Session, context: PanelContext): void {
  useFollowFiles(
    useCallback(() => void files.check(), [files]),
    context,
  );
}
