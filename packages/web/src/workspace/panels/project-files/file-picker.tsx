import "./project-files.css";
import type { FileList, ProjectFile } from "@backplane/contract/panels";
import { useVirtualizer } from "@tanstack/react-virtual";
import { type KeyboardEvent, useCallback, useEffect, useId, useRef, useState } from "react";
import type { Fault } from "../../../calls/call.ts";
import { faultWords } from "../../../calls/fault-words.ts";
import { Button } from "../../../parts/button.tsx";
import { Icon } from "../../../parts/icon.tsx";
import { Note } from "../../../parts/note.tsx";
import type { WorkspaceName } from "../../calls.ts";
import type { PanelContext } from "../../panel.ts";
import { VirtualRows } from "../../parts/virtual-rows.tsx";
import { listFiles } from "./file-calls.ts";
import { filterFiles, folderOf, nameOf, sizeWords } from "./paths.ts";
import { type Upload, UploadArea, UploadButton, UploadNotes, useUpload } from "./upload-part.tsx";

const MAX_PATH_CHARACTERS = 500;
/** About the height of a row; the real one is measured. */
const ROW_PX = 32;
const PADDING_PX = 4;
const PAGE_ROWS = 10;

type Props = {
  project: WorkspaceName;
  /** What the field asks for, such as "Open a file". */
  label: string;
  accepts?: (path: string) => boolean;
  /** Shown when there are no files to choose from. */
  nothing: string;
  onPick: (path: string) => void;
  /** Without it, only existing files can be chosen. Resolves to what went wrong, if anything. */
  onCreate?: (path: string) => Promise<string | undefined>;
  onCancel?: () => void;
  autoFocus?: boolean;
};

type Row = { kind: "file"; file: ProjectFile } | { kind: "new"; path: string };

/** Chooses a file of the project: type to search, arrow keys to choose, Enter to open. */
export function FilePicker(props: Props) {
  const { project, label, accepts, nothing, onPick, onCreate, onCancel } = props;
  const list = useFileList(project);
  const [typed, setTyped] = useState("");
  const [chosen, setChosen] = useState(0);
  const [fault, setFault] = useState<string>();
  const [isEnterWaiting, setEnterWaiting] = useState(false);
  const upload = usePickerUpload(props, list.reload);
  const id = useId();
  const input = useRef<HTMLInputElement>(null);

  const all = (list.files ?? []).filter(({ path }) => accepts?.(path) ?? true);
  const found = filterFiles(all, typed);
  const newPath = onCreate && list.files && newFilePath(list.files, typed);
  const rows: Row[] = [
    ...found.map((file): Row => ({ kind: "file", file })),
    ...(newPath ? [{ kind: "new", path: newPath } as const] : []),
  ];
  const active = Math.min(chosen, rows.length - 1);

  useEffect(() => {
    if (props.autoFocus) input.current?.focus();
  }, [props.autoFocus]);

  const take = async (row: Row | undefined) => {
    if (row?.kind === "file") onPick(row.file.path);
    if (row?.kind === "new") setFault(await onCreate?.(row.path));
  };

  // Enter was pressed before the list had loaded.
  const isReady = isEnterWaiting && list.files !== undefined;
  useEffect(() => {
    if (!isReady) return;
    setEnterWaiting(false);
    void take(rows[active]);
  });

  const type = (text: string) => {
    setTyped(text);
    setChosen(0);
    setEnterWaiting(false);
    setFault(undefined);
  };

  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: PAGE_ROWS, PageUp: -PAGE_ROWS }[event.key];
    if (step !== undefined) setChosen(Math.max(0, Math.min(rows.length - 1, active + step)));
    else if (event.key === "Enter" && list.files === undefined) setEnterWaiting(true);
    else if (event.key === "Enter") void take(rows[active]);
    else if (event.key === "Escape" && onCancel) onCancel();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  return (
    <UploadArea className="file-picker" upload={upload}>
      <div className="file-picker-find">
        <div className="input">
          <Icon name="search" />
          <input
            ref={input}
            role="combobox"
            aria-label={label}
            aria-expanded={rows.length > 0}
            aria-controls={`${id}-rows`}
            aria-activedescendant={rows.length > 0 ? `${id}-${active}` : undefined}
            aria-autocomplete="list"
            aria-describedby={fault === undefined ? undefined : `${id}-fault`}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            maxLength={MAX_PATH_CHARACTERS}
            placeholder={onCreate ? `${label}, or type the name of a new one` : label}
            value={typed}
            onChange={(event) => type(event.target.value)}
            onKeyDown={onKeyDown}
          />
        </div>
        <UploadButton upload={upload} />
        {onCancel && (
          <Button look="quiet" onClick={onCancel}>
            Cancel
          </Button>
        )}
      </div>
      <UploadNotes upload={upload} />
      <PickerFaults id={`${id}-fault`} fault={fault} listFault={list.fault} onRetry={list.reload} />
      <FileRows id={id} rows={rows} active={active} onTake={(row) => void take(row)} />
      <p className="file-picker-foot" role="status">
        {list.files === undefined ? "" : footWords(all.length, found.length, list.truncated, nothing)}
      </p>
    </UploadArea>
  );
}

/** One file that is uploaded here was meant for this panel; several are only added. */
function usePickerUpload({ project, accepts, onPick }: Props, reload: () => void): Upload {
  return useUpload(project, (paths) => {
    const [path] = paths;
    if (path !== undefined && paths.length === 1 && (accepts?.(path) ?? true)) onPick(path);
    reload();
  });
}

/** The typed path, if no file has it yet. */
function newFilePath(files: readonly ProjectFile[], typed: string): string | undefined {
  const path = typed.trim();
  return path === "" || files.some((file) => file.path === path) ? undefined : path;
}

function footWords(all: number, found: number, truncated: boolean, nothing: string): string {
  if (all === 0) return nothing;
  if (found === 0) return "No file name matches.";
  const shown = `${found} ${found === 1 ? "file" : "files"}`;
  return truncated ? `${shown}. The project has more files than can be listed.` : shown;
}

type FaultProps = { id: string; fault: string | undefined; listFault: Fault | undefined; onRetry: () => void };

function PickerFaults({ id, fault, listFault, onRetry }: FaultProps) {
  return (
    <>
      {fault !== undefined && (
        <div className="file-picker-note" id={id}>
          <Note tone="danger" role="alert">
            {fault}
          </Note>
        </div>
      )}
      {listFault && (
        <div className="file-picker-note">
          <Note tone="danger" role="alert">
            {faultWords(listFault)}{" "}
            <Button size="small" onClick={onRetry}>
              Try again
            </Button>
          </Note>
        </div>
      )}
    </>
  );
}

type RowsProps = { id: string; rows: readonly Row[]; active: number; onTake: (row: Row) => void };

/** Draws only the rows in view. */
function FileRows({ id, rows, active, onTake }: RowsProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const list = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    ...{ paddingStart: PADDING_PX, paddingEnd: PADDING_PX },
  });

  useEffect(() => {
    if (active >= 0) list.scrollToIndex(active, { align: "auto" });
  }, [list, active]);

  return (
    <div ref={scroller} id={`${id}-rows`} className="file-picker-rows" role="listbox" aria-label="Files">
      <VirtualRows list={list} rows={rows}>
        {(row, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field above has the keyboard, and names the active row
          <div
            key={row.kind === "file" ? row.file.path : "new"}
            ref={list.measureElement}
            data-index={index}
            id={`${id}-${index}`}
            className="file-row"
            role="option"
            tabIndex={-1}
            aria-selected={index === active}
            aria-setsize={rows.length}
            aria-posinset={index + 1}
            onClick={() => onTake(row)}
          >
            <RowCells row={row} />
          </div>
        )}
      </VirtualRows>
    </div>
  );
}

function RowCells({ row }: { row: Row }) {
  return row.kind === "file" ? (
    <>
      <span className="file-path">
        <span className="muted">{folderOf(row.file.path)}</span>
        {nameOf(row.file.path)}
      </span>
      <span className="muted">{sizeWords(row.file.size)}</span>
    </>
  ) : (
    <>
      <span className="file-path">
        <Icon name="plus" /> New file {row.path}
      </span>
      <span />
    </>
  );
}

/** The files of the project, loaded when the picker is shown. */
function useFileList({ owner, repo }: WorkspaceName) {
  const [list, setList] = useState<FileList>();
  const [fault, setFault] = useState<Fault>();
  const [loads, setLoads] = useState(0);

  // biome-ignore lint/correctness/useExhaustiveDependencies: `loads` counts how often to load
  useEffect(() => {
    const leaving = new AbortController();
    void listFiles({ owner, repo }, leaving.signal).then((answer) => {
      if (leaving.signal.aborted) return;
      setFault(answer.ok ? undefined : answer.fault);
      if (answer.ok) setList(answer.value);
    });
    return () => leaving.abort();
  }, [owner, repo, loads]);

  const reload = useCallback(() => setLoads((times) => times + 1), []);
  return { files: list?.files, truncated: list?.truncated ?? false, fault, reload };
}

const pathOf = (state: { path?: unknown }): string | undefined =>
  typeof state.path === "string" && state.path !== "" ? state.path : undefined;

/** The file that the panel's state names. A choice made here counts at once, and reaches the other browsers. */
export function usePanelPath(context: PanelContext) {
  const [wanted, setWanted] = useState(() => pathOf(context.state()));
  useEffect(() => context.onState((state) => setWanted(pathOf(state))), [context]);

  const choose = useCallback(
    (path: string) => {
      setWanted(path);
      // If the server does not store it, the file is open here all the same.
      void context.setState({ path, ...("line" in context.state() ? { line: null } : {}) }).catch(() => {});
    },
    [context],
  );
  return { wanted, choose };
}
