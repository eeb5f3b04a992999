import { toSvg } from "@backplane/kicad/drawing";
import { readOnlyReason, type SheetInstance } from "@backplane/kicad/schematic";
import { useEffect, useRef, useState, useSyncExternalStore } from "react";
import { Button } from "../../../parts/button.tsx";
import { Icon, type IconName } from "../../../parts/icon.tsx";
import type { PanelContext } from "../../panel.ts";
import { MenuButton } from "../../parts/menu-button.tsx";
import { saveFile } from "../../plot-panel/save-csv.ts";
import { nameOf } from "../project-files/paths.ts";
import { zoomPercent } from "./canvas/camera.ts";
import { type ListName, Lists } from "./lists.tsx";
import { Properties } from "./properties.tsx";
import type { Session } from "./session.ts";
import { SheetView, type SheetViewHandle } from "./sheet-view.tsx";
import { placeWords } from "./words.ts";

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
  const view = useRef<SheetViewHandle>(null);
  const [percent, setPercent] = useState(100);
  const [pointer, setPointer] = useState<{ x: number; y: number }>();
  const [list, setList] = useState<ListName>();
  const { design, sheet, drawn, selection } = state;

  useEffect(() => {
    if (isHidden || !takesFocus.current) return;
    takesFocus.current = false;
    view.current?.focus();
  }, [isHidden, takesFocus]);

  if (!design || !sheet || !drawn) return null;

  /** Shown here at once, and in the other browsers; if the server does not store it, it is shown here all the same. */
  const goTo = (to: string) => {
    session.goTo(to);
    void context.setState({ sheet: to }).catch(() => {});
    view.current?.focus();
  };
  const svg = () =>
    toSvg(
      drawn.items.flatMap(({ primitives }) => primitives),
      drawn.box,
      titleOf(sheet),
    );
  const readOnly = readOnlyReason(sheet.schematic.version);

  return (
    <div className="schematic-open" hidden={isHidden}>
      <div className="panel-tools" role="toolbar" aria-label="Schematic">
        <Button look="quiet" size="small" onClick={onPick}>
          Open
        </Button>
        <span className="schematic-zoom">
          <Tool icon="minus" label="Zoom out" onClick={() => view.current?.zoom(-1)} />
          <span className="muted">{percent} %</span>
          <Tool icon="plus" label="Zoom in" onClick={() => view.current?.zoom(1)} />
        </span>
        <Tool icon="expand" label="Fit the sheet" onClick={() => view.current?.fit()} />
        <Tool icon="search" label="Find" onClick={() => setList("items")} />
        <Breadcrumbs sheet={sheet} root={nameOf(path)} onGo={goTo} />
        <span className="grow" />
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
        <MenuButton
          icon="more"
          label="More"
          menuLabel="Schematic"
          align="end"
          items={[
            {
              label: "Save this sheet as SVG",
              icon: "download",
              onSelect: () => saveFile(`${fileNameOf(sheet)}.svg`, svg(), "image/svg+xml"),
            },
            { label: "Print this sheet", onSelect: () => printSvg(svg()) },
          ]}
        />
      </div>
      {readOnly !== undefined && (
        <p className="schematic-note" role="status">
          {readOnly}
        </p>
      )}
      <div className="schematic-body" data-list={list !== undefined || undefined}>
        <Lists
          session={session}
          list={list ?? "sheets"}
          onList={setList}
          onGo={goTo}
          onReveal={(box) => view.current?.reveal(box)}
        />
        <SheetView
          ref={view}
          session={session}
          onGo={goTo}
          onZoom={(camera) => setPercent(zoomPercent(camera))}
          onPointer={setPointer}
          onFind={() => setList("items")}
        />
        {selection.size > 0 && <Properties session={session} onGo={goTo} />}
      </div>
      <div className="panel-status schematic-status">
        <span role="status">{statusWords(session)}</span>
        <span className="grow" />
        <span className="wide">Grid 1.27 mm</span>
        <span className="wide">{pointer ? placeWords(pointer) : ""}</span>
      </div>
    </div>
  );
}

function statusWords(session: Session): string {
  const { selection, drawn, design } = session.state();
  const missing = design?.faults.length ?? 0;
  if (selection.size > 0) return selection.size === 1 ? "1 item selected" : `${selection.size} items selected`;
  const items = (drawn?.items.length ?? 1) - 1;
  const words = `${items} ${items === 1 ? "item" : "items"} on this sheet`;
  return missing === 0 ? words : `${words}. ${missing} ${missing === 1 ? "sheet is" : "sheets are"} missing`;
}

const titleOf = (sheet: SheetInstance): string => sheet.schematic.titleBlock.title || sheet.name;
const fileNameOf = (sheet: SheetInstance): string => nameOf(sheet.file).replace(/\.kicad_sch$/i, "");

function Tool({ icon, label, onClick }: { icon: IconName; label: string; onClick: () => void }) {
  return (
    <button className="icon-btn small" type="button" aria-label={label} title={label} onClick={onClick}>
      <Icon name={icon} />
    </button>
  );
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

/** Prints from a frame of its own: the page around the panel is not part of the sheet. */
function printSvg(svg: string): void {
  const frame = document.createElement("iframe");
  frame.className = "sr";
  frame.src = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
  frame.onload = () => {
    frame.contentWindow?.print();
    // The dialog may still read the frame.
    setTimeout(() => {
      URL.revokeObjectURL(frame.src);
      frame.remove();
    }, 60_000);
  };
  document.body.append(frame);
}
