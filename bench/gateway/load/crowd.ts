import { randomUUID } from "node:crypto";
import { dialects } from "./dialect.ts";
import { Faults } from "./faults.ts";
import { sources, lostAfterMs as usuallyLostAfterMs } from "./limits.ts";
import type { LoadConfig } from "./orders.ts";
import type { Hearer, Link, Subscriber } from "./subscriber.ts";

/** The applications of one load generator, kept between orders. */
export type Crowd = { link: Link; subscribers: Set<Subscriber> };

export function createCrowd({ dialect, ports, lostAfterMs = usuallyLostAfterMs }: LoadConfig): Crowd {
  const subscribers = new Set<Subscriber>();
  const link: Link = {
    dialect: dialects[dialect],
    ports,
    lostAfterMs,
    faults: new Faults(),
    hearer: deaf,
    // 127.0.0.1 is left to the callbacks.
    sourceOf: (index) => `127.0.0.${2 + (index % sources)}`,
  };
  return { link, subscribers };
}

/** Between phases nothing is expected; a message then is a fault that the subscriber itself counts. */
const deaf: Hearer = { ready() {}, delivered() {}, closed() {} };

/** Runs a phase with its listener, and removes the listener afterwards. */
export async function hearing<T>({ link }: Crowd, hearer: Hearer, phase: () => Promise<T>): Promise<T> {
  link.hearer = hearer;
  try {
    return await phase();
  } finally {
    link.hearer = deaf;
  }
}

export const newState = (): string => randomUUID();
