import { Select } from "../../../parts/select.tsx";
import { useDeviceList } from "../../device-panel/use-devices.ts";
import type { PanelContext } from "../../panel.ts";
import { numberWords } from "../../parts/plot/words.ts";
import { ToolButton } from "../../parts/tool-button.tsx";
import { measuredBy, type ShownPin } from "./pins.ts";
import type { Choose, Picks } from "./use-picks.ts";
import type { BoardSummary } from "./worker/messages.ts";

type NetProps = { board: BoardSummary; net: number; onClear: () => void };

export function NetDetails({ board, net, onClear }: NetProps) {
  const facts = board.nets[net];
  if (!facts) return null;
  return (
    <section aria-label="Net">
      <Heading word="Net" name={facts.name} onClear={onClear} />
      <dl>
        <Fact name="Pads" value={String(facts.padCount)} />
        <Fact name="Vias" value={String(facts.viaCount)} />
        <Fact name="Length" value={`${numberWords(facts.lengthMm, 2)} mm`} />
        {facts.narrowestMm !== undefined && <Fact name="Narrowest" value={`${numberWords(facts.narrowestMm, 2)} mm`} />}
      </dl>
    </section>
  );
}

/** Pads of one part that are listed. */
const MAX_PADS = 200;

type PartProps = {
  context: PanelContext;
  board: BoardSummary;
  part: number;
  /** The model that it shows, or why it is a box. */
  model: string | undefined;
  pins: readonly ShownPin[];
  picks: Picks;
  choose: Choose;
  mayAdd: boolean;
  onClear: () => void;
};

export function PartDetails({ context, board, part: place, model, pins, picks, choose, mayAdd, onClear }: PartProps) {
  const part = board.parts[place];
  if (!part) return null;
  const pads = board.pads.filter((pad) => pad.part === place);
  return (
    <section aria-label="Part">
      <Heading word="Part" name={part.name} onClear={onClear} />
      <dl>
        {part.value !== "" && <Fact name="Value" value={part.value} />}
        <Fact name="Footprint" value={part.footprint.replace(/^[^:]*:/, "")} />
        <Fact name="Side" value={part.side} />
        <Fact name="Place" value={`${numberWords(part.at.x, 2)}, ${numberWords(part.at.y, 2)} mm`} />
        {model !== undefined && <Fact name="Model" value={model} />}
        {pins
          .filter((pin) => pin.part === part.name)
          .map((pin) => (
            <div key={pin.key}>
              <dt>{pin.label.slice(part.name.length + 2)}</dt>
              <dd className="board-pin">
                <b>{pin.words}</b>
                <ToolButton
                  icon="close"
                  label={`Remove ${pin.label}`}
                  onClick={() => choose.pins(picks.pins.filter((_, at) => pins[at]?.key !== pin.key))}
                />
              </dd>
            </div>
          ))}
      </dl>
      <AddPin {...{ context, part: part.name, picks, choose, mayAdd }} />
      <ul className="board-pads" aria-label="Pads">
        {pads.slice(0, MAX_PADS).map((pad, at) => {
          const net = board.nets[pad.net]?.name;
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: several pads of a part can have the same name
            <li key={at}>
              <span>{pad.name || "hole"}</span>
              {net === undefined ? (
                <span className="muted">no net</span>
              ) : (
                <button
                  type="button"
                  className="board-net"
                  aria-pressed={pad.net === picks.net}
                  onClick={() => choose.net(pad.net === picks.net ? -1 : pad.net)}
                >
                  {net}
                </button>
              )}
            </li>
          );
        })}
      </ul>
    </section>
  );
}

type AddProps = Pick<PartProps, "context" | "picks" | "choose" | "mayAdd"> & { part: string };

/** Shows a value of a device at the part. */
function AddPin({ context, part, picks, choose, mayAdd }: AddProps) {
  const values = measuredBy(useDeviceList(context.devices));
  if (values.length === 0 || !mayAdd) return null;
  return (
    <Select
      aria-label={`Show a value at ${part}`}
      value=""
      onChange={({ target }) => {
        const chosen = values[Number(target.value)];
        if (chosen) choose.pins([...picks.pins, { part, ...chosen.pin }]);
      }}
    >
      <option value="">Show a value here…</option>
      {values.map(({ words }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two devices can have the same name
        <option key={at} value={at}>
          {words}
        </option>
      ))}
    </Select>
  );
}

function Heading({ word, name, onClear }: { word: string; name: string; onClear: () => void }) {
  return (
    <h3>
      <span className="muted">{word}</span> <span className="cut">{name}</span>
      <ToolButton icon="close" label={`Clear the ${word.toLowerCase()}`} onClick={onClear} />
    </h3>
  );
}

function Fact({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}
