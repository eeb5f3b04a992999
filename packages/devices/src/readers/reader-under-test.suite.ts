import { test } from "node:test";
import fc from "fast-check";
import type { CreateReader, Declared, Ground } from "../services.ts";

/** A reader on a ground that writes down what it is told. */
export function startReader(create: CreateReader, { taken = [] as string[] } = {}) {
  const lines: string[] = [];
  const declared = new Map<string, Declared>();
  const sent: string[] = [];
  const ground: Ground = {
    declare(_source, one) {
      if (taken.includes(one.id)) return false;
      declared.set(one.id, one);
      return true;
    },
    state: (device, state) => void lines.push(`${device} is ${state}`),
    sample: (device, capability, values, deviceTMs) =>
      void lines.push(
        `${device}/${capability} ${JSON.stringify(values)}${deviceTMs === undefined ? "" : ` at ${deviceTMs}`}`,
      ),
    recall: (device, capability, values) => void lines.push(`${device}/${capability} was ${JSON.stringify(values)}`),
    refuse: (device, why) => void lines.push(`${device} refused: ${why}`),
    alert: (device, id, text) => void lines.push(`${device} alert ${id}: ${text}`),
    line: (device, level, source, text) => void lines.push(`${device} ${level} ${source}: ${text}`),
    remove: (device) => void lines.push(`${device} removed`),
  };
  const reader = create({ ground, now: Date.now, send: async (topic, text) => void sent.push(`${topic}=${text}`) });
  const say = (topic: string, payload: unknown, isRetained = false): boolean => {
    const text = typeof payload === "string" || Buffer.isBuffer(payload) ? payload : JSON.stringify(payload);
    return reader.take({ topic, payload: Buffer.from(text), isRetained });
  };
  const heard = (): string[] => lines.splice(0);
  return { reader, say, heard, declared, sent };
}

/** No message makes a reader throw: each real one cut at every byte, with changed bytes, and random ones on its topics. */
export function testHostile(
  name: string,
  create: CreateReader,
  messages: readonly (readonly [string, string])[],
): void {
  test(`${name}: messages that are cut, changed or random are refused, and nothing is thrown`, () => {
    const { say } = startReader(create);
    for (const [topic, text] of messages) {
      const whole = Buffer.from(text);
      say(topic, whole);
      const step = Math.max(1, Math.floor(whole.length / 200));
      for (let at = 0; at < whole.length; at += step) {
        say(topic, whole.subarray(0, at));
        const changed = Buffer.from(whole);
        changed[at] = (changed[at] as number) ^ 0x55;
        say(topic, changed);
      }
    }
    const topics = fc.constantFrom(...messages.map(([topic]) => topic));
    const anything = fc.oneof(
      fc.json(),
      fc.string(),
      fc.constantFrom("1e999", "NaN", '{"__proto__":1}', "[".repeat(9_000)),
    );
    fc.assert(
      fc.property(topics, anything, (topic, text) => void say(topic, text)),
      { numRuns: 200 },
    );
  });
}
