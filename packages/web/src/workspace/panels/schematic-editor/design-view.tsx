import { pasteInto } from "@backplane/kicad/design-edits";
import { idOf } from "@backplane/kicad/drawing";
import { copyItems } from "@backplane/kicad/edits";
import type { SheetInstance } from "@backplane/kicad/schematic";
import { lazy, Suspense, useEffect, useRef, useState, useSyncExternalStore } from "react";
import { Button } from "../../../parts/button.tsx";
import type { PanelContext } from "../../panel.ts";
import { ToolButton } from "../../parts/tool-button.tsx";
import { nameOf } from "../project-files/paths.ts";
import { zoomPercent } from "./canvas/camera.ts";
import type { Checks } from "./checks.tsx";
import { DesignNotes } from "./conflict/design-notes.tsx";
import { type ListName, Lists } from "./lists.tsx";
import { MoreMenu } from "./more-menu.tsx";
import type { Session } from "./session.ts";
import { SheetView, type SheetViewHandle } from "./sheet-view.tsx";
import { ToolHint, ToolStrip } from "./tool-strip.tsx";
import { GRID_MM, Tools } from "./tools.ts";
import { useProbe } from "./use-probe.ts";
import { placeWords } from "./words.ts";

const loadChecks = () => import("./checks.tsx");
const CheckList = lazy(() => loadChecks().then((m) => ({ default: m.CheckList })));
const Properties = lazy(() => import("./properties.tsx").then((m) => ({ default: m.Properties })));
const SymbolChooser = lazy(() => import("./symbol-chooser.tsx").then((m) => ({ default: m.SymbolChooser })));

type Props = {
  context: PanelContext;
  session: Session;
  path: string;
  isHidden: boolean;
  takesFocus: { current: boolean };
  onPick: () => void;
};

export function DesignView({ context, session, path, isHidden, takesFocus, onPick }: Props) {
  const state = useSyncExternalStore(session.subscribe, session.state);
  const [tools] = useState(() => new Tools(session));
  const view = useRef<SheetViewHandle>(null);
  const [percent, setPercent] = useState(100);
  const [list, setList] = useState<ListName>();
  const [isChoosing, setChoosing] = useState(false);
  const [checks, setChecks] = useState<Checks>();
  const { sheet, drawn, selection } = state;

  useEffect(() => {
    if (isHidden || !takesFocus.current) return;
    takesFocus.current = false;
    view.current?.focus();
  }, [isHidden, takesFocus]);

  useProbe(context.tabId, session, (box) => view.current?.reveal(box));

  if (!sheet || !drawn) return null;

  /** Shown here at once, and in the other browsers; if the server does not store it, it is shown here all the same. */
  const goTo = (to: string) => {
    session.goTo(to);
    void context.setState({ sheet: to }).catch(() => {});
    view.current?.focus();
  };
  const check = () => void loadChecks().then(({ runChecks }) => setChecks(runChecks(session)));
  const readOnly = session.readOnly();
  const chooseSymbol = () => (readOnly === undefined ? setChoosing(true) : session.say(readOnly));

  return (
    <div className="schematic-open" hidden={isHidden}>
      <div className="panel-tools" role="toolbar" aria-label="Schematic">
        <Button look="quiet" size="small" onClick={onPick}>
          Open
        </Button>
        <SaveTools session={session} />
        <span className="schematic-zoom">
          <ToolButton icon="minus" label="Zoom out" onClick={() => view.current?.zoom(-1)} />
          <span className="muted">{percent} %</span>
          <ToolButton icon="plus" label="Zoom in" onClick={() => view.current?.zoom(1)} />
        </span>
        <ToolButton icon="expand" label="Fit the sheet" onClick={() => view.current?.fit()} />
        <ToolButton icon="search" label="Find" onClick={() => setList("items")} />
        <Breadcrumbs sheet={sheet} root={nameOf(path)} onGo={goTo} />
        <span className="schematic-tools-end">
          <span className="schematic-lists-button">
            <Button
              look="quiet"
              size="small"
              expanded={list !== undefined}
              onClick={() => setList(list ? undefined : "sheets")}
            >
              Lists
            </Button>
          </span>
          <Button size="small" onClick={check}>
            Check
          </Button>
          <MoreMenu session={session} />
        </span>
      </div>
      <DesignNotes {...{ workspace: context.workspace, session, readOnly }} />
      <div className="schematic-body" data-list={list !== undefined || undefined}>
        <Lists
          session={session}
          list={list ?? "sheets"}
          onList={setList}
          onGo={goTo}
          onReveal={(box) => view.current?.reveal(box)}
        />
        {readOnly === undefined && <ToolStrip tools={tools} onChooseSymbol={chooseSymbol} />}
        <div className="schematic-middle">
          <SheetView
            ref={view}
            session={session}
            tools={tools}
            onGo={goTo}
            onZoom={(camera) => setPercent(zoomPercent(camera))}
            onFind={() => setList("items")}
            onChooseSymbol={chooseSymbol}
            onCopy={() => copy(session)}
            onPaste={() => paste(session)}
          />
          <ToolHint tools={tools} onDone={() => view.current?.focus()} />
        </div>
        <Suspense>{selection.size > 0 && <Properties session={session} tools={tools} onGo={goTo} />}</Suspense>
      </div>
      <Suspense>
        {checks && (
          <CheckList
            session={session}
            checks={checks}
            onAgain={check}
            onClose={() => {
              setChecks(undefined);
              view.current?.focus();
            }}
            onJump={(finding) => {
              if (finding.sheet.path !== sheet.path) goTo(finding.sheet.path);
              session.select(finding.items.map(idOf));
              const { x, y } = finding.at;
              view.current?.reveal({ left: x - 10, right: x + 10, top: y - 10, bottom: y + 10 });
            }}
          />
        )}
      </Suspense>
      <StatusLine session={session} tools={tools} />
      <Suspense>
        {isChoosing && (
          <SymbolChooser
            session={session}
            project={context.workspace}
            onClose={() => setChoosing(false)}
            onChoose={(libId, symbol) => {
              setChoosing(false);
              tools.choose({ kind: "symbol", libId, symbol, angle: 0 });
              view.current?.focus();
            }}
          />
        )}
      </Suspense>
    </div>
  );
}

function SaveTools({ session }: { session: Session }) {
  const { canUndo, canRedo } = useSyncExternalStore(session.subscribe, session.state);
  const isDirty = session.files.unsaved().length > 0;
  return (
    <>
      <Button
        look="quiet"
        size="small"
        busy={session.files.isSaving()}
        disabled={!isDirty}
        onClick={() => void session.save()}
      >
        Save
      </Button>
      <ToolButton icon="undo" label="Undo" isOff={!canUndo} onClick={() => session.undo()} />
      <ToolButton icon="redo" label="Redo" isOff={!canRedo} onClick={() => session.redo()} />
    </>
  );
}

function StatusLine({ session, tools }: { session: Session; tools: Tools }) {
  useSyncExternalStore(session.subscribe, session.state);
  const { at } = useSyncExternalStore(tools.subscribe, tools.state);
  return (
    <div className="panel-status schematic-status">
      <span role="status">{statusWords(session)}</span>
      <span className="grow" />
      <span className="wide">Grid {GRID_MM} mm</span>
      <span className="wide">{placeWords(at)}</span>
    </div>
  );
}

function statusWords(session: Session): string {
  const { selection, drawn, design, message } = session.state();
  if (message !== undefined) return message;
  const unsaved = session.files.unsaved().length > 0 ? "Unsaved changes. " : "";
  if (selection.size > 0) return `${unsaved}${selection.size} ${selection.size === 1 ? "item" : "items"} selected`;
  const missing = design?.faults.length ?? 0;
  const items = (drawn?.items.length ?? 1) - 1;
  const words = `${unsaved}${items} ${items === 1 ? "item" : "items"} on this sheet`;
  return missing === 0 ? words : `${words}. ${missing} ${missing === 1 ? "sheet is" : "sheets are"} missing`;
}

/** What was copied here or in another tab of this browser. */
const CLIPBOARD = "backplane-schematic-items";
const PASTE_MM = 2 * GRID_MM;

function copy(session: Session): void {
  const { sheet } = session.state();
  const items = session.selectedItems();
  if (!sheet || items.length === 0) return;
  try {
    localStorage.setItem(CLIPBOARD, copyItems(sheet.schematic, items));
    session.say(`${items.length} ${items.length === 1 ? "item" : "items"} copied`);
  } catch {
    session.say("Not copied: the browser has no room for it.");
  }
}

function paste(session: Session): void {
  const copied = localStorage.getItem(CLIPBOARD);
  if (copied === null) return;
  const by = { x: PASTE_MM, y: PASTE_MM };
  const newUuid = () => crypto.randomUUID();
  session.editFiles((design, sheet) => pasteInto(design, sheet, copied, by, newUuid), { selectsNew: true });
}

type CrumbsProps = { sheet: SheetInstance; root: string; onGo: (path: string) => void };

/** The sheets from the root to this one. */
function Breadcrumbs({ sheet, root, onGo }: CrumbsProps) {
  const way: SheetInstance[] = [];
  for (let at: SheetInstance | undefined = sheet; at; at = at.parent) way.unshift(at);
  return (
    <nav className="schematic-crumbs" aria-label="Sheets to here">
      {way.map((each) => {
        const name = each.sheet?.name ?? root;
        return each === sheet ? (
          <b key={each.path} aria-current="page">
            {name}
          </b>
        ) : (
          <button key={each.path} type="button" className="link" onClick={() => onGo(each.path)}>
            {name}
          </button>
        );
      })}
    </nav>
  );
}
