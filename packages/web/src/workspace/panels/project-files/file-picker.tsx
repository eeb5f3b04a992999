import "./project-files.css";
import type { FileList, ProjectFile } from "@backplane/contract/panels";
import { type KeyboardEvent, useCallback, useEffect, useId, useRef, useState } from "react";
import type { Fault } from "../../../calls/call.ts";
import { faultWords } from "../../../calls/fault-words.ts";
import { Button } from "../../../parts/button.tsx";
import { Icon } from "../../../parts/icon.tsx";
import { Note } from "../../../parts/note.tsx";
import type { WorkspaceName } from "../../calls.ts";
import type { PanelContext } from "../../panel.ts";
import { listFiles } from "./file-calls.ts";
import { filterFiles, folderOf, nameOf, sizeWords } from "./paths.ts";

/** Rows that are drawn; more are found by typing. */
const MAX_ROWS = 200;
const MAX_PATH_CHARACTERS = 500;

type Props = {
  project: WorkspaceName;
  /** What the field asks for: "Open a file". */
  label: string;
  accepts?: (path: string) => boolean;
  /** Said when there is none to choose. */
  nothing: string;
  onPick: (path: string) => void;
  /** Absent: only files that are there can be chosen. Its answer is what was wrong. */
  onCreate?: (path: string) => Promise<string | undefined>;
  onCancel?: () => void;
  autoFocus?: boolean;
};

type Row = { kind: "file"; file: ProjectFile } | { kind: "new"; path: string };

/** Chooses a file of the project: type to find, arrows to choose, Enter opens. */
export function FilePicker(props: Props) {
  const { project, label, accepts, nothing, onPick, onCreate, onCancel } = props;
  const list = useFileList(project);
  const [typed, setTyped] = useState("");
  const [chosen, setChosen] = useState(0);
  const [fault, setFault] = useState<string>();
  const [isEager, setEager] = useState(false);
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const rowsElement = useRef<HTMLDivElement>(null);

  const all = (list.files ?? []).filter(({ path }) => accepts?.(path) ?? true);
  const found = filterFiles(all, typed);
  const path = typed.trim();
  const canCreate =
    onCreate !== undefined && path !== "" && list.files !== undefined && !list.files.some((file) => file.path === path);
  const rows: Row[] = [
    ...found.slice(0, MAX_ROWS).map((file): Row => ({ kind: "file", file })),
    ...(canCreate ? [{ kind: "new", path } as const] : []),
  ];
  const active = Math.min(chosen, rows.length - 1);

  useEffect(() => {
    rowsElement.current?.querySelector(`#${CSS.escape(`${id}-${active}`)}`)?.scrollIntoView({ block: "nearest" });
  }, [id, active]);

  useEffect(() => {
    if (props.autoFocus) input.current?.focus();
  }, [props.autoFocus]);

  const take = async (row: Row | undefined) => {
    if (row?.kind === "file") onPick(row.file.path);
    if (row?.kind === "new") setFault(await onCreate?.(row.path));
  };

  // Enter was pressed before the list was there.
  const isReady = isEager && list.files !== undefined;
  useEffect(() => {
    if (!isReady) return;
    setEager(false);
    void take(rows[active]);
  });

  const onKeyDown = (event: KeyboardEvent) => {
    const last = rows.length - 1;
    const moves: Record<string, number> = {
      ArrowDown: active + 1,
      ArrowUp: active - 1,
      PageDown: active + 10,
      PageUp: active - 10,
    };
    const next = moves[event.key];
    if (next !== undefined) setChosen(Math.max(0, Math.min(last, next)));
    else if (event.key === "Enter" && list.files === undefined) setEager(true);
    else if (event.key === "Enter") void take(rows[active]);
    else if (event.key === "Escape" && onCancel) onCancel();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  return (
    <div className="file-picker">
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
            onChange={(event) => {
              setTyped(event.target.value);
              setChosen(0);
              setEager(false);
              setFault(undefined);
            }}
            onKeyDown={onKeyDown}
          />
        </div>
        {onCancel && (
          <Button look="quiet" onClick={onCancel}>
            Cancel
          </Button>
        )}
      </div>
      {fault !== undefined && (
        <div className="file-picker-note" id={`${id}-fault`}>
          <Note tone="danger" role="alert">
            {fault}
          </Note>
        </div>
      )}
      {list.fault && (
        <div className="file-picker-note">
          <Note tone="danger" role="alert">
            {faultWords(list.fault)}{" "}
            <Button size="small" onClick={list.reload}>
              Try again
            </Button>
          </Note>
        </div>
      )}
      <div ref={rowsElement} id={`${id}-rows`} className="file-picker-rows" role="listbox" aria-label="Files">
        {rows.map((row, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field above has the keyboard, and names the active row
          <div
            key={row.kind === "file" ? row.file.path : "new"}
            id={`${id}-${index}`}
            className="file-row"
            role="option"
            tabIndex={-1}
            aria-selected={index === active}
            onClick={() => void take(row)}
          >
            {row.kind === "file" ? <FileCells file={row.file} /> : <NewFileCells path={row.path} />}
          </div>
        ))}
      </div>
      <p className="file-picker-foot" role="status">
        {list.files === undefined ? "" : footWords(all.length, found.length, list.truncated, nothing)}
      </p>
    </div>
  );
}

function footWords(all: number, found: number, truncated: boolean, nothing: string): string {
  if (all === 0) return nothing;
  if (found === 0) return "No file has this in its name.";
  const shown =
    found > MAX_ROWS
      ? `${MAX_ROWS} of ${found} files shown. Type to find others.`
      : `${found} ${found === 1 ? "file" : "files"}`;
  return truncated ? `${shown} The project has more than can be listed.` : shown;
}

function FileCells({ file: { path, size } }: { file: ProjectFile }) {
  return (
    <>
      <span className="file-path">
        <span className="muted">{folderOf(path)}</span>
        {nameOf(path)}
      </span>
      <span className="muted">{sizeWords(size)}</span>
    </>
  );
}

function NewFileCells({ path }: { path: string }) {
  return (
    <>
      <span className="file-path">
        <Icon name="plus" /> New file {path}
      </span>
      <span />
    </>
  );
}

type Listed = { files: ProjectFile[] | undefined; truncated: boolean; fault: Fault | undefined; reload: () => void };

/** The project's files, asked for when shown. */
function useFileList({ owner, repo }: WorkspaceName): Listed {
  const [list, setList] = useState<FileList>();
  const [fault, setFault] = useState<Fault>();
  const [asked, setAsked] = useState(0);

  // biome-ignore lint/correctness/useExhaustiveDependencies: `asked` counts how often to ask
  useEffect(() => {
    const leaving = new AbortController();
    void listFiles({ owner, repo }, leaving.signal).then((answer) => {
      if (leaving.signal.aborted) return;
      setFault(answer.ok ? undefined : answer.fault);
      if (answer.ok) setList(answer.value);
    });
    return () => leaving.abort();
  }, [owner, repo, asked]);

  const reload = useCallback(() => setAsked((times) => times + 1), []);
  return { files: list?.files, truncated: list?.truncated ?? false, fault, reload };
}

const pathOf = (state: { path?: unknown }): string | undefined =>
  typeof state.path === "string" && state.path !== "" ? state.path : undefined;

/** The file that the panel's state names. What is chosen here holds at once, and is told to the other browsers. */
export function usePanelPath(context: PanelContext) {
  const [wanted, setWanted] = useState(() => pathOf(context.state()));
  useEffect(() => context.onState((state) => setWanted(pathOf(state))), [context]);

  const choose = useCallback(
    (path: string) => {
      setWanted(path);
      // Not kept when nobody answers: the page says so, and the file is open here all the same.
      void context.setState({ path, ...("line" in context.state() ? { line: null } : {}) }).catch(() => {});
    },
    [context],
  );
  return { wanted, choose };
}
