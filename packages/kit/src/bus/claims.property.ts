import assert from "node:assert/strict";
import fc from "fast-check";
import type { Claims } from "./bus.ts";

type Step =
  | { readonly do: "claim"; readonly key: string; readonly value: string; readonly ttlMs: number }
  | {
      readonly do: "exchange";
      readonly key: string;
      readonly value: string;
      readonly to: string;
      readonly ttlMs: number;
    }
  | { readonly do: "release"; readonly key: string; readonly value: string }
  | { readonly do: "take" | "read"; readonly key: string }
  | { readonly do: "advance"; readonly ms: number };

/** A model of the laws: the shortest program that obeys them. */
function createModel() {
  const held = new Map<string, { value: string; endsAtMs: number }>();
  let nowMs = 0;
  const live = (key: string) => {
    const found = held.get(key);
    return found !== undefined && found.endsAtMs > nowMs ? found : undefined;
  };
  return {
    claim(key: string, value: string, ttlMs: number): boolean {
      if (live(key)) return false;
      held.set(key, { value, endsAtMs: nowMs + ttlMs });
      return true;
    },
    exchange(key: string, from: string, to: string, ttlMs: number): boolean {
      if (live(key)?.value !== from) return false;
      held.set(key, { value: to, endsAtMs: nowMs + ttlMs });
      return true;
    },
    release: (key: string, value: string): boolean => live(key)?.value === value && held.delete(key),
    take(key: string): string | undefined {
      const found = live(key);
      held.delete(key);
      return found?.value;
    },
    read: (key: string): string | undefined => live(key)?.value,
    advance(ms: number): undefined {
      nowMs += ms;
    },
  };
}

const key = fc.constantFrom("a", "b", "c");
const value = fc.constantFrom("x", "y");

function steps(ttlMs: fc.Arbitrary<number>, withAdvance: boolean): fc.Arbitrary<Step[]> {
  const kinds: fc.Arbitrary<Step>[] = [
    fc.record({ do: fc.constant("claim"), key, value, ttlMs }),
    fc.record({ do: fc.constant("exchange"), key, value, to: value, ttlMs }),
    fc.record({ do: fc.constant("release"), key, value }),
    fc.record({ do: fc.constantFrom("take", "read"), key }),
  ];
  if (withAdvance) kinds.push(fc.record({ do: fc.constant("advance"), ms: fc.integer({ min: 1, max: 12 }) }));
  return fc.array(fc.oneof(...kinds), { maxLength: 60 });
}

/** Random sequences of operations have the same results on the engine and on the model. */
export async function claimsBehaveLikeTheModel(parameters: {
  numRuns: number;
  /** Fresh claims for each sequence; `advance` only where the clock can be moved. */
  open(): { claims: Claims; advance?: (ms: number) => void };
  canAdvance: boolean;
}): Promise<void> {
  const { open, numRuns, canAdvance } = parameters;
  const ttlMs = canAdvance ? fc.integer({ min: 1, max: 20 }) : fc.constant(60_000);
  const property = fc.asyncProperty(steps(ttlMs, canAdvance), async (sequence) => {
    const { claims, advance } = open();
    const model = createModel();
    for (const step of sequence) {
      if (step.do === "advance") {
        advance?.(step.ms);
        model.advance(step.ms);
      } else {
        assert.equal(await apply(claims, step), await apply(model, step), JSON.stringify(step));
      }
    }
  });
  await fc.assert(property, { numRuns });
}

type Applicable = ReturnType<typeof createModel> | Claims;

function apply(claims: Applicable, step: Exclude<Step, { do: "advance" }>) {
  switch (step.do) {
    case "claim":
      return claims.claim(step.key, step.value, step.ttlMs);
    case "exchange":
      return claims.exchange(step.key, step.value, step.to, step.ttlMs);
    case "release":
      return claims.release(step.key, step.value);
    default:
      return claims[step.do](step.key);
  }
}
