import { useId, useState } from "react";
import { Button } from "../../../parts/button.tsx";
import { Icon } from "../../../parts/icon.tsx";
import { usePermission } from "../../controls/why-not.ts";
import type { DeviceContent } from "../../device-panel/device-panel.tsx";
import {
  type Bits,
  bitAt,
  bitsValue,
  changedBits,
  hexWords,
  type Item,
  sizeBits,
  typedNumber,
  valueWords,
} from "./chip.ts";

type Props = DeviceContent & {
  item: Item;
  value: number | undefined;
  before: number | undefined;
  isWatched: boolean;
  onWatch: () => void;
};

/** One register or variable: its bits, what changed of them, and how it is written. */
export function ItemDetails(props: Props) {
  const { item, value, before, capability, commands } = props;
  const canWrite = item.access !== "ro" && capability.commands.write !== undefined;
  const isWhole = !item.type.startsWith("f");
  return (
    <section className="chip-details" aria-label={item.name}>
      <p className="chip-name">
        <b>{item.name}</b>
        <span>
          {item.type}
          {item.address === undefined ? "" : `, 0x${item.address.toString(16)}`}
        </span>
        <span className="grow" />
        {isWhole && value !== undefined && <span>{hexWords(value, sizeBits(item.type))}</span>}
        <Button size="small" look="quiet" pressed={props.isWatched} onClick={props.onWatch}>
          Watch
        </Button>
      </p>
      {item.bits.length > 0 && value !== undefined && <BitGrid {...{ item, value, before }} />}
      {item.bits.length > 0 && value !== undefined && before !== undefined && <Changes {...{ item, value, before }} />}
      {item.access === "once" && (
        <p className="chip-once">
          <Icon name="lock" />
          <span>It changes when it is read: it is read only when you ask.</span>
          {capability.commands.read && (
            <Button size="small" onClick={() => void commands.send("read", { name: item.name }, `read ${item.name}`)}>
              Read
            </Button>
          )}
        </p>
      )}
      {canWrite && <WriteRow {...props} />}
    </section>
  );
}

const ROW = 16;

/** Sixteen bits per row, the highest first. */
function BitGrid({ item, value, before }: { item: Item; value: number; before: number | undefined }) {
  const size = sizeBits(item.type);
  const highest = Math.max(...item.bits.map(({ to }) => to));
  const rows = Array.from({ length: Math.ceil(size / ROW) }, (_, i) => size - 1 - i * ROW).filter(
    (top) => top - ROW < highest,
  );
  const fieldAt = (bit: number) => item.bits.find(({ from, to }) => bit >= from && bit <= to);
  return (
    <>
      {rows.map((top) => (
        <table key={top} className="chip-bits" aria-label={`Bits ${top} to ${Math.max(0, top - ROW + 1)}`}>
          <tbody>
            {(["n", "f", "v"] as const).map((row) => (
              <tr key={row} className={row}>
                {Array.from({ length: Math.min(ROW, top + 1) }, (_, i) => top - i).map((bit) => {
                  const field = fieldAt(bit);
                  const isChanged = before !== undefined && bitAt(value, bit) !== bitAt(before, bit);
                  const words = row === "n" ? bit : row === "f" ? nameAt(field, bit) : field ? bitAt(value, bit) : "·";
                  return (
                    <td
                      key={bit}
                      className={[field ? "" : "none", row === "v" && isChanged ? "changed" : ""].join(" ")}
                    >
                      {words}
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      ))}
    </>
  );
}

const nameAt = (field: Bits | undefined, bit: number): string => (field && bit === field.to ? field.name : "");

const MAX_CHANGES = 6;

function Changes({ item, value, before }: { item: Item; value: number; before: number }) {
  const changed = item.bits.filter((bits) => bitsValue(value, bits) !== bitsValue(before, bits));
  if (changedBits(value, before, item.type) === 0) return null;
  return (
    <ul className="chip-changes" aria-label="Changed">
      {changed.slice(0, MAX_CHANGES).map((bits) => (
        <li key={bits.name}>
          {bits.name} {bitsValue(before, bits)} → {bitsValue(value, bits)}
        </li>
      ))}
    </ul>
  );
}

function WriteRow(props: Props) {
  const { item, commands, value } = props;
  const { why } = usePermission(props, "powers");
  const [text, setText] = useState("");
  const id = useId();
  const typed = typedNumber(text);
  const reason = why ?? (text !== "" && typed === undefined ? "not a number" : undefined);
  const write = () =>
    typed !== undefined &&
    why === undefined &&
    void commands.send("write", { name: item.name, value: typed }, `write ${item.name} ${text.trim()}`);
  return (
    <form
      className="chip-write"
      onSubmit={(event) => {
        event.preventDefault();
        write();
      }}
    >
      <label htmlFor={id}>New value</label>
      <input
        id={id}
        value={text}
        placeholder={valueWords(item, value)}
        inputMode="decimal"
        autoComplete="off"
        onChange={(event) => setText(event.target.value)}
      />
      <Button type="submit" size="small" disabled={typed === undefined || why !== undefined} describedBy={`${id}-why`}>
        Write
      </Button>
      <span className="hint" id={`${id}-why`}>
        {reason ?? "decimal, 0x or 0b"}
      </span>
    </form>
  );
}
