import { type Item, type PlacedSymbol, referenceOf, type SheetInstance } from "@backplane/kicad/schematic";
import { useSyncExternalStore } from "react";
import { Button } from "../../../parts/button.tsx";
import type { Session } from "./session.ts";
import { itemWords, kindWords, placeWords } from "./words.ts";

type Props = { session: Session; onGo: (path: string) => void };

/** What is selected. */
export function Properties({ session, onGo }: Props) {
  const { sheet, selection } = useSyncExternalStore(session.subscribe, session.state);
  const items = session.selectedItems();
  const [only] = items;
  if (!sheet || !only) return null;
  const [id = ""] = selection;
  const behind = session.sheetBehind(id);
  return (
    <aside className="schematic-properties" aria-label="Properties">
      {items.length === 1 ? (
        <>
          <h3>
            <span className="cut">{itemWords(only, sheet)}</span> <span className="muted">{kindWords(only)}</span>
          </h3>
          <Facts rows={factsOf(only, sheet)} />
          {only.kind === "symbol" && <Pins symbol={only} />}
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
    </aside>
  );
}

type Row = readonly [name: string, value: string];

function factsOf(item: Item, sheet: SheetInstance): Row[] {
  const place: Row[] = "at" in item ? [["At", placeWords(item.at)]] : [];
  switch (item.kind) {
    case "symbol":
      return [
        ["Reference", referenceOf(item, sheet)],
        ...item.fields
          .filter(({ name, text }) => name !== "Reference" && text !== "")
          .map(({ name, text }): Row => [name, text]),
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
      return [["Text", item.text], ...(item.shape ? [["Shape", item.shape] as const] : []), ...place];
    case "sheet":
      return [
        ["Name", item.name],
        ["File", item.file],
        ["Pins", item.pins.map(({ name }) => name).join(", ")],
        ...place,
      ];
    case "text":
    case "text_box":
      return [["Text", item.text], ...place];
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

function Pins({ symbol }: { symbol: PlacedSymbol }) {
  return (
    <table>
      <thead>
        <tr>
          <th>Pin</th>
          <th>Name</th>
          <th>Type</th>
        </tr>
      </thead>
      <tbody>
        {symbol.pins.map((pin) => (
          <tr key={`${pin.number} ${pin.at.x} ${pin.at.y}`}>
            <td>{pin.number}</td>
            <td>{pin.name === "~" ? "" : pin.name}</td>
            <td>{pin.type.replaceAll("_", " ")}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
