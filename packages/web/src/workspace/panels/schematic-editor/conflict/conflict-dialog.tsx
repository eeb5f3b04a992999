import { joined } from "@backplane/kicad/drawing";
import type { Side } from "@backplane/kicad/merge";
import { useEffect, useId, useMemo, useState } from "react";
import { Button } from "../../../../parts/button.tsx";
import type { WorkspaceName } from "../../../calls.ts";
import { Dialog } from "../../../parts/dialog.tsx";
import { nameOf } from "../../project-files/paths.ts";
import type { Compared } from "../design-files.ts";
import { type ConflictRow, conflictRows, versionOf } from "./conflict-rows.ts";
import { lastChange } from "./last-change.ts";
import { boxAround, SideView } from "./side-view.tsx";

type Props = {
  workspace: WorkspaceName;
  path: string;
  compared: Compared;
  onDecide: (choose: (conflict: number) => Side) => void;
  onCopy: () => void;
  onClose: () => void;
};

/** Both versions of a file side by side, and what has to be decided. */
export function ConflictDialog({ workspace, path, compared, onDecide, onCopy, onClose }: Props) {
  const rows = useMemo(() => conflictRows(path, compared), [path, compared]);
  const [choices, setChoices] = useState<readonly Side[]>([]);
  const [shown, setShown] = useState(0);
  const [who, setWho] = useState<string>();
  useEffect(() => {
    const leaving = new AbortController();
    void lastChange(workspace, path, leaving.signal).then((words) => {
      if (!leaving.signal.aborted) setWho(words);
    });
    return () => leaving.abort();
  }, [workspace, path]);
  const sideOf = (place: number): Side => choices[place] ?? "mine";
  const choose = (place: number, side: Side) => {
    setShown(place);
    setChoices(rows.map((_, at) => (at === place ? side : sideOf(at))));
  };
  const chooseAll = (side: Side) => setChoices(rows.map(() => side));
  const { merged } = compared.comparison;
  const name = nameOf(path);
  return (
    <Dialog label={`${name} was changed by somebody else`} className="schematic-conflict" onClose={onClose}>
      <div className="schematic-conflict-head">
        <h3>{name} was changed by somebody else</h3>
        <p className="muted">
          They saved it while you had unsaved changes.{" "}
          {merged > 0 && `${merged} ${merged === 1 ? "change is" : "changes are"} at different places and merged. `}
          {rows.length} {rows.length === 1 ? "needs" : "need"} your decision.
        </p>
        {who !== undefined && <p className="muted">{who}</p>}
      </div>
      <Sides path={path} compared={compared} row={rows[shown]} />
      <div className="schematic-conflict-rows">
        <table>
          <thead>
            <tr>
              <th>What</th>
              <th>Before</th>
              <th>Yours</th>
              <th>Theirs</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row, place) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the rows stay while the dialog is open
              <DecisionRow key={place} row={row} side={sideOf(place)} onChoose={(side) => choose(place, side)} />
            ))}
          </tbody>
        </table>
      </div>
      <div className="dialog-foot">
        <Button look="quiet" onClick={onCopy}>
          Save mine as a copy
        </Button>
        <span className="grow" />
        <Button onClick={() => chooseAll("mine")}>All mine</Button>
        <Button onClick={() => chooseAll("theirs")}>All theirs</Button>
        <Button onClick={onClose}>Keep editing</Button>
        <Button look="primary" onClick={() => onDecide(sideOf)}>
          Save merged file
        </Button>
      </div>
    </Dialog>
  );
}

type RowProps = { row: ConflictRow; side: Side; onChoose: (side: Side) => void };

function DecisionRow({ row, side, onChoose }: RowProps) {
  const name = useId();
  const cell = (of: Side) => (
    <td>
      <label className="schematic-choice">
        <input
          type="radio"
          name={name}
          checked={side === of}
          aria-label={`${row.what}: ${of === "mine" ? "yours" : "theirs"}, ${row[of]}`}
          onChange={() => onChoose(of)}
        />
        <code>{row[of]}</code>
      </label>
    </td>
  );
  return (
    <tr data-conflict={row.what}>
      <th scope="row">{row.what}</th>
      <td>
        <code>{row.before}</code>
      </td>
      {cell("mine")}
      {cell("theirs")}
    </tr>
  );
}

type SidesProps = { path: string; compared: Compared; row: ConflictRow | undefined };

function Sides({ path, compared, row }: SidesProps) {
  const mine = useMemo(() => versionOf(path, compared.mine), [path, compared]);
  const theirs = useMemo(() => versionOf(path, compared.theirs), [path, compared]);
  const id = row?.id;
  const box = useMemo(() => {
    const boxes = [mine, theirs].flatMap((sheet) => (sheet && boxAround(sheet, id)) ?? []);
    return boxes.length === 0 ? undefined : joined(boxes);
  }, [mine, theirs, id]);
  if (!mine || !theirs) return null;
  const what = row?.what ?? "";
  return (
    <div className="schematic-sides">
      <figure>
        <figcaption>
          <b>Yours</b> <span className="muted">not saved</span>
        </figcaption>
        <SideView label={`Your version of ${what}`} sheet={mine} id={id} box={box} />
      </figure>
      <figure>
        <figcaption>
          <b>Theirs</b> <span className="muted">saved</span>
        </figcaption>
        <SideView label={`Their version of ${what}`} sheet={theirs} id={id} box={box} />
      </figure>
    </div>
  );
}
