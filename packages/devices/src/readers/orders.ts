import { type Ack, DEVICES_LIMITS } from "@backplane/contract/devices";
import type { JsonData, JsonObject } from "@backplane/contract/panels";
import type { Clock } from "@backplane/kit/clock";
import type { MqttSend } from "../services.ts";
import { createWaitingList, sendAndWait, type Waiting } from "./waiting.ts";

export type Order = {
  messages: readonly { topic: string; payload: string }[];
  /** What its state becomes when it has done it. */
  expected: JsonObject;
  /** What its state is while it does it. */
  meanwhile?: JsonObject;
};

export type Orders = {
  /** `channel`: device and capability. `isToldBack`: the device says what it has become. */
  send(
    channel: string,
    order: Order,
    how: { onAccepted?: (() => void) | undefined; isRepeated?: boolean; isToldBack: boolean },
  ): Promise<Ack>;
  /** What a device says that it is. */
  told(channel: string, values: JsonObject): void;
  close(): void;
};

/** Lamps count in steps of 1/255, and kelvin in whole mired. */
const RELATIVE_TOLERANCE = 0.02;
const ABSOLUTE_TOLERANCE = 0.5;

/** Less than what a device has for an answer. */
const SAME_MS = DEVICES_LIMITS.ackMs / 2;
const NOT_TOLD = {
  ok: true,
  reached: false,
  detail: "It was sent. The device does not say whether it did it.",
} as const;

type Pending = { channel: string; order: Order; seen: JsonObject; waiting: Waiting };

/** Commands of devices that do not answer: a command is done when the device says that it is what was asked. */
export function createOrders(send: MqttSend, now: Clock): Orders {
  const waitingList = createWaitingList(now);
  const pending = new Set<Pending>();
  /** What each device last said, for commands that change nothing. */
  const last = new Map<string, JsonObject>();

  const sendAll = async ({ messages }: Order): Promise<void> => {
    for (const { topic, payload } of messages) await send(topic, payload, { qos: 1 });
  };

  return {
    async send(channel, order, { onAccepted, isRepeated = false, isToldBack }) {
      const { expected } = order;
      const isKnowable = isToldBack && Object.keys(expected).length > 0;
      // Many say nothing when they become what they are already: then it is sent, and not more is known.
      const isSame = isKnowable && agrees(last.get(channel) ?? {}, expected);
      const one: Pending = {
        ...{ channel, order, seen: isSame ? {} : alreadyIs(last.get(channel) ?? {}, expected) },
        waiting: waitingList.add({ onAccepted, isOver: () => pending.delete(one) }),
      };
      if (isKnowable) pending.add(one);
      const unheard = isSame ? setTimeout(() => one.waiting.settle(NOT_TOLD), SAME_MS) : undefined;
      const publish = async () => {
        await sendAll(order);
        if (isSame) onAccepted?.();
        if (!isKnowable) one.waiting.settle(NOT_TOLD);
      };
      return sendAndWait(one.waiting, publish, { isRepeated }).finally(() => clearTimeout(unheard));
    },
    told(channel, values) {
      last.set(channel, { ...last.get(channel), ...values });
      for (const one of pending) {
        if (one.channel !== channel) continue;
        Object.assign(one.seen, values);
        if (agrees(one.seen, one.order.expected)) one.waiting.settle({ ok: true });
        else if (one.order.meanwhile && agrees(one.seen, one.order.meanwhile)) one.waiting.accept();
      }
    },
    close: waitingList.close,
  };
}

const agrees = (values: JsonObject, expected: JsonObject): boolean =>
  Object.entries(expected).every(([name, value]) => isClose(values[name], value));

/** Of several things that were asked, a device may say only those that changed. */
const alreadyIs = (values: JsonObject, expected: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(expected).filter(([name, value]) => isClose(values[name], value)));

function isClose(value: JsonData | undefined, expected: JsonData | undefined): boolean {
  if (typeof value !== "number" || typeof expected !== "number") return value === expected;
  return Math.abs(value - expected) <= Math.max(ABSOLUTE_TOLERANCE, Math.abs(expected) * RELATIVE_TOLERANCE);
}
