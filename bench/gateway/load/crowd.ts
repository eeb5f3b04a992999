import { randomUUID } from "node:crypto";
import { dialects } from "./dialect.ts";
import { Faults } from "./faults.ts";
import { sources, lostAfterMs as usuallyLostAfterMs } from "./limits.ts";
import type { LoadConfig } from "./orders.ts";
import type { Link, PhaseListener, Subscriber } from "./subscriber.ts";

/** The applications of one load generator, kept between orders. */
export type Crowd = { link: Link; subscribers: Set<Subscriber> };

export function createCrowd({ dialect, ports, lostAfterMs = usuallyLostAfterMs }: LoadConfig): Crowd {
  const subscribers = new Set<Subscriber>();
  const link: Link = {
    dialect: dialects[dialect],
    ports,
    lostAfterMs,
    faults: new Faults(),
    listener: silent,
    // 127.0.0.1 is left to the callbacks.
    sourceOf: (index) => `127.0.0.${2 + (index % sources)}`,
  };
  return { link, subscribers };
}

/** Between phases nothing is expected; a message then is a fault that the subscriber itself counts. */
const silent: PhaseListener = { ready() {}, delivered() {}, closed() {} };

/** Runs a phase with its listener, and removes the listener afterwards. */
export async function withListener<T>({ link }: Crowd, listener: PhaseListener, phase: () => Promise<T>): Promise<T> {
  link.listener = listener;
  try {
    return await phase();
  } finally {
    link.listener = silent;
  }
}

export const newState = (): string => randomUUID();
