import { randomUUID } from "node:crypto";
import type { Ack, Device } from "@backplane/contract/devices";
import type { JsonObject, LogLevel } from "@backplane/contract/panels";
import type { Clock } from "@backplane/kit/clock";
import type { Actor, Control, Reader } from "../services.ts";
import { type Asking, unknownDevice } from "./asking.ts";
import type { Refusal, Setpoint } from "./decisions.ts";
import type { Entries, Entry } from "./entries.ts";
import { answerText, paramsText } from "./lines.ts";
import type { Rails } from "./rails.ts";
import { nameOf } from "./rules.ts";
import type { Stopper } from "./stopper.ts";
import { isStopping, movesIn } from "./stopping.ts";

export type Tell = (id: string, setpoint: Setpoint, onAccepted?: () => void) => Promise<Ack>;

export const noReader = (): Promise<Ack> => Promise.resolve({ ok: false, code: "unsupported", tookMs: 0 });

type TellOptions = {
  readerOf(id: string): Pick<Reader, "command"> | undefined;
  steady: Clock;
  onFault(error: unknown): void;
};

/** Sends a command; never rejects. */
export const createTell =
  ({ readerOf, steady, onFault }: TellOptions): Tell =>
  (id, { capability, ...command }, onAccepted) => {
    const startMs = steady();
    const failed = (error: unknown): Ack => {
      onFault(error);
      return { ok: false, code: "no-answer", tookMs: steady() - startMs };
    };
    const { name, params } = command;
    try {
      const answer = readerOf(id)?.command(id, capability, { id: command.id, name, params }, onAccepted) ?? noReader();
      return answer.then((ack) => ({ ...ack, tookMs: steady() - startMs }), failed);
    } catch (error) {
      return Promise.resolve(failed(error));
    }
  };

type Options = {
  entries: Entries;
  asking: Asking;
  stopper: Pick<Stopper, "stop" | "supersede">;
  rails: Pick<Rails, "switched">;
  tell: Tell;
  /** The device may have refused. */
  afterAnswer(entry: Entry, setpoint: Setpoint, ack: Ack): void;
  note(level: LogLevel, message: string): void;
  steady: Clock;
};

/** Commands of people and programs. */
export function createCommand(options: Options): Control["command"] {
  const { entries, asking, stopper, rails, tell, afterAnswer, note, steady } = options;

  return async function command(
    { device: id, capability }: { device: string; capability: string },
    { name, params }: { name: string; params: JsonObject },
    actor: Actor,
    onAccepted?: () => void,
  ): Promise<Ack> {
    const startMs = steady();
    const entry = entries.of(id);
    if (!entry) return asking.refuse(unknownDevice(id), startMs);
    const { device } = entry;
    const what = `${device.name} ${name}${paramsText(params)}`;
    const refused = (refusal: Refusal) => {
      asking.logRefusal(entry, actor, what, refusal);
      return asking.refuse(refusal, startMs);
    };
    const declared = declaredBy(device, capability, name);
    if (!declared)
      return refused({ code: "unsupported", detail: `${capability} of ${device.name} has no command ${name}.` });
    const isStop = isStopping(declared, name, params);
    if (actor.mayOnlyStop && !isStop) return refused({ code: "denied", detail: "You may look and stop, not control." });
    const setpoint: Setpoint = { id: randomUUID(), capability, name, params };
    const isSame = entry.authority.state(startMs).isMoving && entry.logged === `${actor.key} ${what}`;
    const goesOn = declared.effect === "powers" && !isStop && movesIn(device, capability);
    const decision = entry.authority.command({ ...setpoint, declared, goesOn }, actor, startMs);
    entries.apply(entry, decision);
    if (decision.refusal) return refused(decision.refusal);
    entry.tooMany.delete(actor.key);
    if (goesOn) stopper.supersede(id);
    if (declared.effect === "moves" && !isStop) {
      stopper.supersede(id);
      entry.logged = `${actor.key} ${what}`;
    }
    const ack = await tell(id, setpoint, onAccepted);
    afterAnswer(entry, setpoint, ack);
    if (isStop && !ack.ok && declared.effect === "moves") void stopper.stop(id, "not-stopped");
    if (declared.effect === "powers" && ack.ok) rails.switched({ device: id, capability, params }, !isStop);
    // A program keeps something moving by saying the same again and again: one line is enough.
    if (!isSame || !ack.ok) note(ack.ok ? "info" : "warn", `${nameOf(actor)}: ${what}: ${answerText(ack)}.`);
    return ack;
  };
}

function declaredBy(device: Device, capability: string, name: string) {
  const commands = device.capabilities.find(({ id }) => id === capability)?.commands ?? {};
  return Object.hasOwn(commands, name) ? commands[name] : undefined;
}
