import { setFieldIn, setReference } from "@backplane/kicad/edits";
import { type Item, type PlacedSymbol, referenceOf, type Sheet, type SheetInstance } from "@backplane/kicad/schematic";
import { atomAt, quote, type Splice } from "@backplane/kicad/sexpr";
import { useId, useState, useSyncExternalStore } from "react";
import { Button } from "../../../parts/button.tsx";
import type { Session } from "./session.ts";
import type { Tools } from "./tools.ts";
import { itemWords, kindWords, placeWords } from "./words.ts";

type Props = { session: Session; tools: Tools; onGo: (path: string) => void };

/** What is selected, and its fields to change. */
export function Properties({ session, tools, onGo }: Props) {
  const { sheet, selection } = useSyncExternalStore(session.subscribe, session.state);
  const items = session.selectedItems();
  const [only] = items;
  if (!sheet || !only) return null;
  const [id = ""] = selection;
  const behind = session.sheetBehind(id);
  const canEdit = session.readOnly() === undefined;
  return (
    <aside className="schematic-properties" aria-label="Properties">
      {items.length === 1 ? (
        <>
          <h3>
            <span className="cut">{itemWords(only, sheet)}</span> <span className="muted">{kindWords(only)}</span>
          </h3>
          <Fields key={id} session={session} item={only} sheet={sheet} canEdit={canEdit} />
          <Facts rows={factsOf(only)} />
          <Net session={session} item={only} sheet={sheet} />
          {only.kind === "symbol" && <Pins session={session} symbol={only} sheet={sheet} />}
          {behind && <Button onClick={() => onGo(behind.path)}>Open this sheet</Button>}
        </>
      ) : (
        <>
          <h3>{items.length} items</h3>
          <ul>
            {items.slice(0, 50).map((item) => (
              <li key={`${item.kind} ${item.node.start}`}>{itemWords(item, sheet)}</li>
            ))}
          </ul>
        </>
      )}
      {canEdit && (
        <div className="schematic-actions">
          <Button size="small" onClick={() => tools.turn("right")}>
            Turn
          </Button>
          <Button size="small" onClick={() => tools.turn("y")}>
            Mirror
          </Button>
          <Button size="small" look="danger" onClick={() => tools.remove()}>
            Delete
          </Button>
        </div>
      )}
    </aside>
  );
}

type Row = readonly [name: string, value: string];
type FieldRow = { name: string; value: string; save: (value: string) => void };

/** The texts of an item that people change. */
function fieldsOf(session: Session, item: Item, sheet: SheetInstance): FieldRow[] {
  const own = (owner: PlacedSymbol | Sheet): FieldRow[] =>
    owner.fields
      .filter(({ name }) => name !== "Reference" && !name.startsWith("ki_"))
      .map(({ name, text }) => ({
        ...{ name, value: text },
        save: (value) => void session.editFiles((design, at) => setFieldIn(design, at, owner, name, value)),
      }));
  if (item.kind === "symbol") {
    const save = (value: string) => void session.editFiles((design, at) => setReference(design, at, item, value));
    return [{ name: "Reference", value: referenceOf(item, sheet), save }, ...own(item)];
  }
  if (item.kind === "sheet") return own(item);
  if (item.kind === "label" || item.kind === "text")
    return [{ name: "Text", value: item.text, save: (value) => void session.edit(() => retyped(item, value)) }];
  return [];
}

/** The first word of a label or text is what it says. */
function retyped(item: Item, text: string): Splice[] {
  const atom = atomAt(item.node, 1);
  return atom && text !== "" ? [{ start: atom.start, end: atom.end, text: quote(text) }] : [];
}

type FieldsProps = { session: Session; item: Item; sheet: SheetInstance; canEdit: boolean };

function Fields({ session, item, sheet, canEdit }: FieldsProps) {
  const rows = fieldsOf(session, item, sheet);
  if (!canEdit) return <Facts rows={rows.map(({ name, value }) => [name, value])} />;
  return (
    <div className="schematic-fields">
      {rows.map((row) => (
        <FieldInput key={row.name} {...row} />
      ))}
    </div>
  );
}

/** Saved when the field is left or Enter is pressed; Escape takes it back. */
function FieldInput({ name, value, save }: FieldRow) {
  /** What is being typed, and what it replaces. */
  const [typing, setTyping] = useState<{ text: string; from: string }>();
  const note = useId();
  const isOther = typing !== undefined && typing.from !== value;
  const leave = () => {
    setTyping(undefined);
    if (typing && typing.text !== value) save(typing.text);
  };
  return (
    <label>
      <span>{name}</span>
      <span className="input">
        <input
          value={typing?.text ?? value}
          maxLength={1_000}
          autoComplete="off"
          spellCheck={false}
          aria-describedby={isOther ? note : undefined}
          onChange={({ target }) => setTyping({ text: target.value, from: typing?.from ?? value })}
          // What somebody else changed meanwhile is replaced only by whoever has seen it.
          onBlur={() => (isOther ? undefined : leave())}
          onKeyDown={(event) => {
            if (event.key === "Enter" && isOther && typing) setTyping({ ...typing, from: value });
            else if (event.key === "Enter") leave();
            if (event.key === "Escape") setTyping(undefined);
            if (event.key === "Enter" || event.key === "Escape") event.stopPropagation();
          }}
        />
      </span>
      {isOther && (
        <span id={note} className="schematic-meanwhile" role="alert">
          Somebody else has changed this to "{value}". Press Enter to go on with yours, Escape to take theirs.
        </span>
      )}
    </label>
  );
}

function factsOf(item: Item): Row[] {
  const place: Row[] = "at" in item ? [["At", placeWords(item.at)]] : [];
  switch (item.kind) {
    case "symbol":
      return [
        ["Symbol", item.libId],
        ...place,
        [
          "Turned",
          `${item.angle}°${item.mirror ? `, mirrored ${item.mirror === "x" ? "top to bottom" : "left to right"}` : ""}`,
        ],
        ["Placed", item.doNotPopulate ? "No" : "Yes"],
        ["Parts list", item.inBom ? "Yes" : "No"],
      ];
    case "wire":
    case "bus":
      return [
        ["From", placeWords(item.start)],
        ["To", placeWords(item.end)],
      ];
    case "label":
      return [...(item.shape ? [["Shape", item.shape] as const] : []), ...place];
    case "sheet":
      return [["Pins", item.pins.map(({ name }) => name).join(", ")], ...place];
    default:
      return place;
  }
}

const Facts = ({ rows }: { rows: readonly Row[] }) => (
  <dl>
    {rows.map(([name, value]) => (
      <div key={name}>
        <dt>{name}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
);

type NetProps = { session: Session; item: Item; sheet: SheetInstance };

/** The net of a wire or a label. */
function Net({ session, item, sheet }: NetProps) {
  const at = item.kind === "wire" ? item.start : item.kind === "label" ? item.at : undefined;
  const net = at && session.nets()?.at(sheet, at);
  if (!net) return null;
  const { name, trackWidthMm, clearanceMm } = session.classOf(net);
  const widths = [
    ...(trackWidthMm === undefined ? [] : [`tracks ${trackWidthMm} mm`]),
    ...(clearanceMm === undefined ? [] : [`clearance ${clearanceMm} mm`]),
  ];
  return (
    <>
      <NetButton session={session} name={net.name} />
      <Facts rows={[["Net class", [name, ...widths].join(", ")]]} />
    </>
  );
}

function NetButton({ session, name }: { session: Session; name: string }) {
  const { net } = useSyncExternalStore(session.subscribe, session.state);
  if (name === "") return null;
  return (
    <button
      type="button"
      className="schematic-net"
      aria-pressed={net === name}
      title="Highlight this net"
      onClick={() => session.highlight(net === name ? undefined : name)}
    >
      {name}
    </button>
  );
}

function Pins({ session, symbol, sheet }: { session: Session; symbol: PlacedSymbol; sheet: SheetInstance }) {
  const nets = session.nets();
  return (
    <table>
      <thead>
        <tr>
          <th>Pin</th>
          <th>Type</th>
          <th>Net</th>
        </tr>
      </thead>
      <tbody>
        {symbol.pins.map((pin) => (
          <tr key={`${pin.number} ${pin.at.x} ${pin.at.y}`}>
            <td>
              {pin.number} {pin.name === "~" ? "" : pin.name}
            </td>
            <td>{pin.type.replaceAll("_", " ")}</td>
            <td>
              <NetButton session={session} name={nets?.at(sheet, pin.at)?.name ?? ""} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
