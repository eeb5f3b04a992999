/** What to throw when the queue is full. */
type WhenFull = () => Error;

export type QueueLimits = { maxWaiting?: number; whenFull?: WhenFull };

const queueIsFull: WhenFull = () => new Error("The queue is full.");

/** Runs at most `atOnce` tasks at a time; the others wait in the order in which they came. */
export function limitConcurrency({
  atOnce,
  maxWaiting = Number.POSITIVE_INFINITY,
  whenFull = queueIsFull,
}: QueueLimits & { atOnce: number }): <T>(task: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (task) => {
    if (running < atOnce) running += 1;
    else if (waiting.length >= maxWaiting) throw whenFull();
    // A task that ends hands its slot to the next in line, so that a newcomer cannot overtake.
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await task();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running -= 1;
    }
  };
}

export type KeyedQueue = {
  /** Runs the task once all earlier tasks of the same key have ended. */
  run<T>(key: string, task: () => Promise<T>): Promise<T>;
  /** Resolves when no task is running or waiting. */
  idle(): Promise<void>;
};

/** Runs the tasks of one key one after the other. Keys do not wait for each other. */
export function queueByKey({
  maxWaiting = Number.POSITIVE_INFINITY,
  whenFull = queueIsFull,
}: QueueLimits = {}): KeyedQueue {
  /** `pending` counts the running task too. */
  const queues = new Map<string, { last: Promise<unknown>; pending: number }>();
  return {
    async run(key, task) {
      const queue = queues.get(key) ?? { last: Promise.resolve(), pending: 0 };
      if (queue.pending >= maxWaiting) throw whenFull();
      queues.set(key, queue);
      queue.pending += 1;
      const mine = queue.last.then(task);
      queue.last = mine.catch(() => undefined);
      try {
        return await mine;
      } finally {
        queue.pending -= 1;
        if (queue.pending === 0) queues.delete(key);
      }
    },
    async idle() {
      while (queues.size > 0) await Promise.all([...queues.values()].map(({ last }) => last));
    },
  };
}

export type Listeners<Event> = {
  /** Returns the function that removes the listener. */
  add(listener: (event: Event) => void): () => void;
  emit(event: Event): void;
  readonly size: number;
};

/** A listener that throws is reported and does not keep the others from hearing the event. */
export function createListeners<Event = void>(onError: (error: unknown) => void): Listeners<Event> {
  const listeners = new Set<(event: Event) => void>();
  return {
    add(listener) {
      // The same function may be added twice; each call gets an entry of its own.
      const entry = (event: Event): void => listener(event);
      listeners.add(entry);
      return () => void listeners.delete(entry);
    },
    emit(event) {
      for (const listener of [...listeners]) {
        try {
          listener(event);
        } catch (error) {
          onError(error);
        }
      }
    },
    get size() {
      return listeners.size;
    },
  };
}
