/** Those who want to hear of something. One that throws harms neither the others nor who tells. */
export type Listeners<Event> = {
  add(listener: (event: Event) => void): () => void;
  tell(event: Event): void;
};

export function createListeners<Event>(onFault: (error: unknown) => void): Listeners<Event> {
  const listeners = new Set<(event: Event) => void>();
  return {
    add(listener) {
      const own = (event: Event) => listener(event);
      listeners.add(own);
      return () => void listeners.delete(own);
    },
    tell(event) {
      for (const listener of [...listeners]) {
        try {
          listener(event);
        } catch (fault) {
          onFault(fault);
        }
      }
    },
  };
}
