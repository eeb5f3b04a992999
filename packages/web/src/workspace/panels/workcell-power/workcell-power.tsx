import "./workcell-power.css";
import { useCallback, useEffect, useRef, useState } from "react";
import { Button } from "../../../parts/button.tsx";
import { State, type Tone } from "../../../parts/state.tsx";
import { drawLimit, drawLine } from "../../controls/draw.ts";
import { Switch } from "../../controls/switch.tsx";
import { Meter, shown, useValues } from "../../controls/values.tsx";
import { usePermission } from "../../controls/why-not.ts";
import { type DeviceContent, devicePanel } from "../../device-panel/device-panel.tsx";
import { Chart } from "../../parts/plot/chart.tsx";
import { type Painter, words } from "../../parts/plot/paint.ts";
import {
  type Inrush,
  type Interlock,
  inrushFacts,
  inrushWords,
  isOff,
  type Order,
  powerUp,
  type Rail,
  railName,
  readInrush,
  readInterlocks,
  readRails,
} from "./rails.ts";

export const mount = devicePanel({ noun: "power supply", Content: WorkcellPower });

/** Control is renewed by use, and an order that goes on is use. */
const RENEW_MS = 1_000;

/** The rails of a cell in their order, what holds them back, and how the last one came up. */
function WorkcellPower(props: DeviceContent) {
  const { capability, commands } = props;
  const values = useValues(props);
  const { why, control } = usePermission(props, "powers");
  const off = usePermission(props, "none");
  const rails = readRails(capability, values);
  const interlocks = readInterlocks(capability, rails, values);
  const inrush = readInrush(values.inrush);
  const [asked, setAsked] = useState<ReadonlySet<string>>(new Set());
  const turn = async (rail: string, isOn: boolean) => {
    setAsked((before) => new Set(before).add(rail));
    const ack = await commands.send(isOn ? "on" : "off", { rail }, `${railName(rail)} ${isOn ? "on" : "off"}`);
    setAsked((before) => new Set([...before].filter((one) => one !== rail)));
    return ack;
  };
  const { order, start, cancel } = useOrder({
    rails,
    interlocks,
    renew: control.renew,
    switchOn: (rail) => turn(rail, true),
  });
  const powerDown = async () => {
    cancel();
    for (const { id } of rails.filter((rail) => !isOff(rail)).toReversed()) await turn(id, false);
  };
  useEffect(() => {
    if (why !== undefined) cancel();
  }, [why, cancel]);
  const limitA = rails.find(({ id }) => id === inrush?.rail)?.limitA;
  return (
    <div className="power">
      <Rails {...{ rails, asked, order, whyOn: why, whyOff: off.why }} onTurn={(rail, isOn) => void turn(rail, isOn)} />
      <div className="power-order">
        <OrderWords {...{ order, rails, why }} />
        <span className="grow" />
        {order?.status === "rising" || order?.status === "waits" ? (
          <Button size="small" onClick={cancel}>
            Cancel the order
          </Button>
        ) : (
          <Button size="small" disabled={why !== undefined} onClick={start}>
            Power up in order
          </Button>
        )}
        <Button
          size="small"
          look="danger"
          disabled={off.why !== undefined || rails.every(isOff)}
          onClick={() => void powerDown()}
        >
          Power down
        </Button>
      </div>
      <div className="power-parts">
        <div className="power-inrush">
          {inrush ? (
            <InrushChart {...{ inrush, limitA }} />
          ) : (
            <p className="hint">The inrush of a rail is shown here when it is switched on.</p>
          )}
        </div>
        <div className="power-locks">
          <h3>Interlocks</h3>
          {interlocks.length === 0 && <p className="hint">The device names none.</p>}
          <ul>
            {interlocks.map(({ id, name, isOk, value }) => (
              <li key={id} data-field={id}>
                <span className={`dot ${isOk === undefined ? "off" : isOk ? "ok" : "warn"}`} aria-hidden="true" />
                <span className="cut">{name}</span>
                <span className="quiet">{value}</span>
              </li>
            ))}
          </ul>
          <p className="hint">Stop cuts the rails in reverse order. It does not replace the switch in the supply.</p>
        </div>
      </div>
    </div>
  );
}

const STATES: Readonly<Record<string, readonly [Tone, string]>> = {
  on: ["ok", "On"],
  off: ["off", "Off"],
  rising: ["warn", "Rising"],
  waits: ["warn", "Waits"],
  fault: ["danger", "Fault"],
};

type RailsProps = {
  rails: readonly Rail[];
  asked: ReadonlySet<string>;
  order: Order | undefined;
  whyOn: string | undefined;
  whyOff: string | undefined;
  onTurn: (rail: string, isOn: boolean) => void;
};

const Rails = ({ rails, asked, order, whyOn, whyOff, onTurn }: RailsProps) => (
  <table className="small-table power-rails">
    <thead>
      <tr>
        <th scope="col">
          <span className="sr">Order</span>
        </th>
        <th scope="col">Rail</th>
        {rails.some(({ by }) => by !== undefined) && (
          <th scope="col" className="power-by">
            By
          </th>
        )}
        <th scope="col">State</th>
        <th scope="col" className="num">
          Voltage
        </th>
        <th scope="col" className="num">
          Current
        </th>
        <th scope="col" className="wide">
          Of its limit
        </th>
        <th scope="col" className="num wide">
          Power
        </th>
        <th scope="col">
          <span className="sr">Switch</span>
        </th>
      </tr>
    </thead>
    <tbody>
      {rails.map((rail, i) => {
        const { id, name, volts, amps, limitA } = rail;
        const isWaiting = order?.status === "waits" && order.at === i;
        const [tone, word] = STATES[isWaiting ? "waits" : (rail.state ?? "")] ?? ["off", "–"];
        const isOn = !isOff(rail);
        const watts = volts === undefined || amps === undefined ? undefined : volts * amps;
        return (
          <tr key={id} data-fault={rail.state === "fault" || undefined} data-rail={id}>
            <td>
              <span className={`power-place ${tone}`}>{i + 1}</span>
            </td>
            <th scope="row">{name}</th>
            {rails.some(({ by }) => by !== undefined) && (
              <td className="power-by quiet" data-by={id}>
                {rail.by ?? "–"}
              </td>
            )}
            <td>
              <State tone={tone} word={word} />
            </td>
            <td className="num measured" data-field={`${id}_v`}>
              {shown(volts, 2)} <small>V</small>
            </td>
            <td className="num measured" data-field={`${id}_a`}>
              {shown(amps, 2)} <small>A</small>
            </td>
            <td className="wide power-share">
              {amps !== undefined && limitA !== undefined && (
                <Meter share={amps / limitA} label={`${name} of ${limitA} A`} />
              )}
              <small>{limitA === undefined ? "" : `${limitA} A`}</small>
            </td>
            <td className="num wide">
              {shown(watts, 1)} <small>W</small>
            </td>
            <td>
              <Switch
                label={name}
                isOn={rail.state === undefined ? undefined : isOn}
                isAsked={asked.has(id)}
                why={isOn ? whyOff : whyOn}
                onChange={(to) => onTurn(id, to)}
              />
            </td>
          </tr>
        );
      })}
    </tbody>
  </table>
);

type OrderWordsProps = { order: Order | undefined; rails: readonly Rail[]; why: string | undefined };

function OrderWords({ order, rails, why }: OrderWordsProps) {
  const faults = rails.filter(({ state }) => state === "fault");
  if (!order || order.status === "done") {
    const on = rails.filter((rail) => !isOff(rail)).length;
    const words =
      faults.length > 0
        ? `${faults.map(({ name }) => name).join(", ")}: find the fault first.`
        : `${on} of ${rails.length} rails on`;
    return <span className="hint">{why === undefined ? words : `${words} · ${why}`}</span>;
  }
  const place = `rail ${order.at + 1} of ${rails.length}`;
  const [tone, word, detail] = {
    rising: ["warn", "Powering up", place] as const,
    waits: ["warn", `Waits for ${order.detail}`, `${place}; goes on by itself for 60 s, then gives up`] as const,
    stopped: ["danger", `Order stopped at rail ${order.at + 1}`, order.detail] as const,
  }[order.status];
  return (
    <span className="power-words" role="status">
      <State tone={tone} word={word} /> <span className="hint">{detail}</span>
    </span>
  );
}

type Ordering = {
  rails: readonly Rail[];
  interlocks: readonly Interlock[];
  renew: () => void;
  switchOn: Parameters<typeof powerUp>[0]["switchOn"];
};

/** The order that this page carries out. It ends with the page, with control and with a cancel: then nothing more is switched on. */
function useOrder({ rails, interlocks, renew, switchOn }: Ordering) {
  const [order, setOrder] = useState<Order>();
  const latest = useRef({ interlocks, switchOn });
  latest.current = { interlocks, switchOn };
  const running = useRef<{ isCancelled: boolean; timer: ReturnType<typeof setInterval> }>(undefined);

  const cancel = useCallback(() => {
    if (!running.current) return;
    running.current.isCancelled = true;
    clearInterval(running.current.timer);
    running.current = undefined;
    setOrder(undefined);
  }, []);
  useEffect(() => cancel, [cancel]);

  const start = () => {
    cancel();
    const mine = { isCancelled: false, timer: setInterval(renew, RENEW_MS) };
    running.current = mine;
    void powerUp({
      rails,
      switchOn: (rail) => latest.current.switchOn(rail),
      open: () => latest.current.interlocks.filter(({ isOk }) => isOk === false).map(({ name }) => name.toLowerCase()),
      pause: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
      isCancelled: () => mine.isCancelled,
      onOrder: (next) => mine.isCancelled || setOrder(next),
    }).finally(() => clearInterval(mine.timer));
  };
  return { order, start, cancel };
}

/** Current and voltage in the first moments after switching on. */
function InrushChart({ inrush, limitA }: { inrush: Inrush; limitA: number | undefined }) {
  const { rail, amps, volts, stepMs } = inrush;
  const { peakA, peakMs } = inrushFacts(inrush, limitA);
  const highV = Math.max(1, ...volts);
  // The words of the peak are between it and the voltage.
  const highA = 1.6 * Math.max(peakA, limitA ?? 0, 0.1);
  const said = inrushWords(inrush, limitA);
  const draw = (painter: Painter) => {
    const at = (list: readonly number[], scale: number) => list.map((value, i) => [i * stepMs, value * scale] as const);
    drawLine(painter, at(volts, highA / highV / 1.1), { colour: "series-2", dash: [5, 3] });
    drawLine(painter, at(amps, 1), { colour: "series-1" });
    if (limitA !== undefined) drawLimit(painter, limitA, `limit ${limitA} A`, "end");
    words(painter, said, painter.x(peakMs) + 10, painter.y(peakA) - 4, { colour: "text" });
  };
  return (
    <>
      <p className="legend">
        <b>Inrush of {railName(rail)}</b>
        <span className="trace-1">
          <i />A
        </span>
        <span className="trace-2">
          <i className="dash" />
          V, to {highV.toFixed(0)}
        </span>
      </p>
      <div className="small-chart">
        <Chart
          label={`Inrush of ${railName(rail)}: ${said}`}
          x={{ range: [0, (amps.length - 1) * stepMs], unit: "ms" }}
          y={{ range: [0, highA], unit: "A" }}
          draw={draw}
        />
      </div>
    </>
  );
}
