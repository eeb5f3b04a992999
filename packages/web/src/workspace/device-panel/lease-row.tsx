import type { Ack } from "@backplane/contract/devices";
import { type ReactNode, useState } from "react";
import { useWork } from "../../calls/use-action.ts";
import { Button } from "../../parts/button.tsx";
import { Icon } from "../../parts/icon.tsx";
import { State } from "../../parts/state.tsx";
import { clockWithSeconds } from "../../parts/times.ts";
import { initials } from "../../session/who.ts";
import type { Control, ControlState } from "../devices/devices.ts";
import type { DeviceContext } from "../panel.ts";
import { useClock } from "./use-devices.ts";

type Props = { control: Control; state: ControlState; mode: "live" | "replay"; context: DeviceContext };

const PINS = [1, 2, 3, 4, 5];

/** Who is in control, and whether the device is armed. It is the same row in every panel. */
export function LeaseRow(props: Props) {
  const { state, mode } = props;
  const { device, stopped, mayControl, isMine, holder } = state;
  if (!device) return null;
  if (mode === "replay")
    return <Row why="Recorded values. Commands are off until you are back to live." mark={<Badge word="Replay" />} />;
  if (stopped) {
    const why = `by ${stopped.by} at ${clockWithSeconds(new Date(stopped.at))}. Clear it in the bar above.`;
    return <Row tone="red" why={why} mark={<State tone="danger" word="Stopped" />} />;
  }
  if (!mayControl) return <Row why="You can look, and stop by holding Stop for 0.6 s." mark={<Icon name="lock" />} />;
  if (device.state === "lost" || device.state === "disconnected") {
    const why = isMine ? "Disarmed. You keep control until you leave." : "It cannot be controlled now.";
    const word = device.state === "lost" ? "Lost" : "Not connected";
    return <Row tone="red" why={why} mark={<State tone="danger" word={word} />} />;
  }
  if (isMine) return <Mine {...props} />;
  return holder ? <Theirs {...props} /> : <Free {...props} />;
}

type RowProps = {
  tone?: "hot" | "red";
  mark: ReactNode;
  why?: ReactNode;
  fault?: string | undefined;
  children?: ReactNode;
};

function Row({ tone, mark, why, fault, children }: RowProps) {
  return (
    <section className={`lease-row ${tone ?? ""}`} aria-label="Control">
      {mark}
      <span className={fault === undefined ? "lease-why cut" : "lease-why lease-fault cut"} role="status">
        {fault ?? why}
      </span>
      <span className="grow" />
      {children}
    </section>
  );
}

const Badge = ({ word }: { word: string }) => <span className="badge replaying">{word}</span>;

/** Asks, and shows why not in the row itself. */
function useAsking() {
  const { busy, run } = useWork();
  const [fault, setFault] = useState<string>();
  const ask = (question: () => Promise<Ack>) =>
    void run(async () => {
      const ack = await question();
      setFault(ack.ok ? undefined : (ack.detail ?? `It was refused: ${ack.code}.`));
    });
  return { busy, fault, ask };
}

function Free({ control }: Props) {
  const { busy, fault, ask } = useAsking();
  return (
    <Row mark={<State tone="off" word="Free" />} why="Nobody controls this device." fault={fault}>
      <Button look="primary" size="small" busy={busy} onClick={() => ask(() => control.take())}>
        Take control
      </Button>
    </Row>
  );
}

function Mine({ control, state: { device }, context }: Props) {
  const { busy, fault, ask } = useAsking();
  const isArmed = device?.isArmed === true;
  const pins = <Pins until={device?.lease?.until} context={context} />;
  const leave = (
    <Button look="quiet" size="small" className="lease-leave" onClick={() => control.leave()}>
      Leave
    </Button>
  );
  if (!isArmed) {
    return (
      <Row mark={<State tone="ok" word="You control" />} why={pins} fault={fault}>
        {leave}
        <Button look="primary" size="small" busy={busy} onClick={() => ask(control.arm)}>
          Arm
        </Button>
      </Row>
    );
  }
  return (
    <Row tone="hot" mark={<State tone="warn" word="Armed" />} why={pins} fault={fault}>
      {leave}
      <Button size="small" busy={busy} onClick={() => ask(control.disarm)}>
        Disarm
      </Button>
    </Row>
  );
}

/** One pin per second that control still lasts. */
function Pins({ until, context }: { until: string | undefined; context: DeviceContext }) {
  const nowMs = useClock(context);
  const leftMs = until === undefined ? 0 : Date.parse(until) - nowMs;
  const on = Math.max(0, Math.min(PINS.length, Math.ceil(leftMs / 1_000)));
  return (
    <span className="lease-left" title="Control lasts 5 s and is renewed by use">
      <span className="pins" aria-hidden="true">
        {PINS.map((pin) => (
          <i key={pin} className={pin <= on ? "on" : ""} />
        ))}
      </span>
      <span className="lease-words">renewed by use</span>
    </span>
  );
}

/** Taking over is two presses, at different places: the second says that the device is stopped first. */
function Theirs({ control, state: { device, holder } }: Props) {
  const { busy, fault, ask } = useAsking();
  const [isAsking, setAsking] = useState(false);
  const name = holder?.program ?? holder?.user ?? "Somebody";
  if (isAsking) {
    const take = () => {
      setAsking(false);
      ask(() => control.take({ takeOver: true }));
    };
    return (
      <Row tone="hot" mark={<b className="lease-name">Take over from {name}?</b>} why="This stops the device first.">
        <Button look="danger" size="small" onClick={take}>
          Stop and take over
        </Button>
        <Button look="quiet" size="small" onClick={() => setAsking(false)}>
          Cancel
        </Button>
      </Row>
    );
  }
  const since = device?.lease && clockWithSeconds(new Date(device.lease.since));
  const why = [device?.isArmed && "armed", since && `since ${since}`].filter(Boolean).join(", ");
  const mark = holder?.program ? (
    <span className="lease-program">{holder.program}</span>
  ) : (
    <>
      <span className="avatar" aria-hidden="true">
        {initials(name)}
      </span>
      <b className="lease-name">{name}</b>
    </>
  );
  return (
    <Row
      mark={
        <span className="lease-who">
          {mark} <span>controls</span>
        </span>
      }
      why={why}
      fault={fault}
    >
      <Button size="small" busy={busy} onClick={() => setAsking(true)}>
        Take over…
      </Button>
    </Row>
  );
}
