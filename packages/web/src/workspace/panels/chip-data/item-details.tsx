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

const BYTE = 8;

/** The highest bit first: two bytes beside each other, or below each other where there is no room. */
function BitGrid({ item, value, before }: { item: Item; value: number; before: number | undefined }) {
  const size = sizeBits(item.type);
  const highest = Math.max(...item.bits.map(({ to }) => to));
  const tops = Array.from({ length: Math.ceil(size / BYTE) }, (_, i) => size - 1 - i * BYTE);
  // With the byte beside it, so that places of bits stay below each other.
  const shown = tops.filter((top) => top - (top % (2 * BYTE)) <= highest);
  return (
    <div className="chip-bytes">
      {shown.map((top) => (
        <BitTable key={top} {...{ item, value, before, top }} />
      ))}
    </div>
  );
}

type BitTableProps = { item: Item; value: number; before: number | undefined; top: number };

function BitTable({ item, value, before, top }: BitTableProps) {
  const bits = Array.from({ length: BYTE }, (_, i) => top - i);
  const fieldAt = (bit: number) => item.bits.find(({ from, to }) => bit >= from && bit <= to);
  const isChanged = (bit: number) => before !== undefined && bitAt(value, bit) !== bitAt(before, bit);
  const classOf = (field: Bits | undefined) => (field ? "" : "none");
  return (
    <table className="chip-bits" aria-label={`Bits ${top} to ${top - BYTE + 1}`}>
      <tbody>
        <tr className="n">
          {bits.map((bit) => (
            <td key={bit}>{bit}</td>
          ))}
        </tr>
        <tr className="f">
          {bits.map((bit, i) => {
            const field = fieldAt(bit);
            // A name is written once, over all bits of its field in this byte.
            if (field && i > 0 && fieldAt(bit + 1) === field) return null;
            const end = field ? bits.findIndex((other, place) => place > i && fieldAt(other) !== field) : i + 1;
            return (
              <td key={bit} colSpan={(end === -1 ? BYTE : end) - i} className={classOf(field)}>
                {field?.name}
              </td>
            );
          })}
        </tr>
        <tr className="v">
          {bits.map((bit) => (
            <td key={bit} className={`${classOf(fieldAt(bit))} ${isChanged(bit) ? "changed" : ""}`}>
              {fieldAt(bit) ? bitAt(value, bit) : "·"}
            </td>
          ))}
        </tr>
      </tbody>
    </table>
  );
}

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
