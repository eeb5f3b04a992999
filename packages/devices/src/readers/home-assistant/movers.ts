import type { JsonObject } from "@backplane/contract/panels";
import { numberOf, own } from "../json.ts";
import { asNumber, command, type Make, onOffState, order, payloadOf, sameText, stateOf, writerOf } from "./entity.ts";

const PERCENT = { type: "number", minimum: 0, maximum: 100 } as const;

/** Steps that a device counts in, as percent. */
function percentOf(first: number, last: number) {
  const range = last - first || 100;
  return {
    read: (step: number): number => Math.round(((step - first) * 100) / range),
    step: (pct: number): number => Math.round((pct * range) / 100 + first),
  };
}

export const fanEntity: Make = ({ id, config }) => {
  const write = writerOf(config, "command_topic", "command_template");
  const speed = writerOf(config, "percentage_command_topic", "percentage_command_template");
  const lowest = numberOf(own(config, "speed_range_min")) ?? 1;
  // 0 % is one step below the lowest speed.
  const percent = percentOf(lowest - 1, numberOf(own(config, "speed_range_max")) ?? 100);
  const template = Object.hasOwn(config, "state_value_template") ? "state_value_template" : "value_template";
  return (
    write && {
      ...{ id, kind: "fan" },
      fields: {
        on: { datatype: "boolean" },
        ...(speed ? { speed_pct: { datatype: "number", unit: "%", min: 0, max: 100 } } : {}),
      },
      commands: {
        ...{ on: command("powers"), off: command("none") },
        ...(speed ? { speed: command("powers", { speed_pct: PERCENT }) } : {}),
      },
      states: [
        ...onOffState(config, template),
        ...stateOf(config, "percentage_state_topic", "percentage_value_template", (value) => {
          const step = asNumber(value);
          return step === undefined ? undefined : { speed_pct: percent.read(step) };
        }),
      ],
      write(name, params) {
        const pct = numberOf(own(params, "speed_pct"));
        if (name !== "speed")
          return order(write(payloadOf(config, `payload_${name}`, name.toUpperCase())), { on: name === "on" });
        if (pct === undefined) return undefined;
        const step = percent.step(pct);
        return order(speed?.(String(step)), { speed_pct: percent.read(step) });
      },
    }
  );
};

const COVER_STATES = ["open", "opening", "closed", "closing", "stopped"];
const COVER_PAYLOADS = { open: "OPEN", close: "CLOSE", stop: "STOP" } as const;

/** Blinds, gates and valves. */
export const coverEntity =
  (kind: "cover" | "valve"): Make =>
  ({ id, config }) => {
    const write = writerOf(config, "command_topic", "command_template");
    const position = writerOf(config, "set_position_topic", "set_position_template");
    const closed = numberOf(own(config, "position_closed")) ?? 0;
    const percent = percentOf(closed, numberOf(own(config, "position_open")) ?? 100);
    const states = stateOf(config, "state_topic", "value_template", (value) => ({
      state: stateNamed(config, COVER_STATES, value),
    }));
    const positions = stateOf(config, "position_topic", "position_template", (value) => {
      const at = asNumber(value);
      return at === undefined ? undefined : { position_pct: percent.read(at) };
    });
    // One that does not say what it is says where it is.
    const reached = (name: "open" | "close"): JsonObject =>
      states.length > 0 ? { state: name === "open" ? "open" : "closed" } : { position_pct: name === "open" ? 100 : 0 };
    // It takes numbers where others take words.
    const isByNumbers = kind === "valve" && own(config, "reports_position") === true;
    if (!write || isByNumbers) return undefined;
    return {
      ...{ id, kind, states: [...states, ...positions] },
      fields: {
        state: { datatype: "text", labels: COVER_STATES },
        position_pct: { datatype: "number", unit: "%", min: 0, max: 100 },
      },
      commands: {
        ...{ open: command("moves"), close: command("moves"), stop: command("none") },
        ...(position ? { position: command("moves", { position_pct: PERCENT }) } : {}),
      },
      write(name, params) {
        const pct = numberOf(own(params, "position_pct"));
        if (name === "position" && pct !== undefined) {
          const step = percent.step(pct);
          return order(position?.(String(step)), { position_pct: percent.read(step) });
        }
        if (name !== "open" && name !== "close" && name !== "stop") return undefined;
        const message = write(payloadOf(config, `payload_${name}`, COVER_PAYLOADS[name]));
        if (name === "stop") return order(message, {});
        const meanwhile = { state: name === "open" ? "opening" : "closing" };
        return { messages: [message], expected: reached(name), meanwhile };
      },
    };
  };

const LOCK_STATES = ["locked", "locking", "unlocked", "unlocking", "jammed"];
const LOCK_PAYLOADS = { lock: "LOCK", unlock: "UNLOCK" } as const;

export const lockEntity: Make = ({ id, config }) => {
  const write = writerOf(config, "command_topic", "command_template");
  const canOpen = Object.hasOwn(config, "payload_open");
  const states = stateOf(config, "state_topic", "value_template", (value) => ({
    state: stateNamed(config, LOCK_STATES, value, (state) => state.toUpperCase()),
  }));
  return (
    write && {
      ...{ id, kind: "lock", states, fields: { state: { datatype: "text", labels: LOCK_STATES } } },
      commands: {
        ...{ lock: command("powers"), unlock: command("powers") },
        ...(canOpen ? { open: command("powers") } : {}),
      },
      write(name) {
        if (name === "open") return canOpen ? order(write(payloadOf(config, "payload_open", "OPEN")), {}) : undefined;
        if (name !== "lock" && name !== "unlock") return undefined;
        const message = write(payloadOf(config, `payload_${name}`, LOCK_PAYLOADS[name]));
        return { messages: [message], expected: { state: `${name}ed` }, meanwhile: { state: `${name}ing` } };
      },
    }
  );
};

/** Our name of a state; what is not known is shown as it is. */
const stateNamed = (
  config: JsonObject,
  names: readonly string[],
  value: unknown,
  usual: (name: string) => string = (name) => name,
): string =>
  names.find((name) => sameText(value, payloadOf(config, `state_${name}`, usual(name)))) ?? String(value).slice(0, 64);
