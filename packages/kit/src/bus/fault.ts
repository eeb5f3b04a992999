/**
 * What can go wrong on the bus, by `code`:
 * - `closed`: the bus was closed; nothing works any more.
 * - `unavailable`: the server behind the bus does not answer. Whether the operation was carried out is unknown.
 * - `invalid`: the caller passed something that no engine can carry (not JSON, an empty key, a ttl of zero).
 * - `too-large`, `too-many`: a named bound of `limits.ts` was reached; nothing was changed.
 * - `handler-failed`: somebody's handler threw. Only ever reported through `onFault`, with the thrown value as `cause`.
 */
export type BusFaultCode = "closed" | "unavailable" | "invalid" | "too-large" | "too-many" | "handler-failed";

/** A fault of the bus, narrowed by `code`. Its text never holds an address, a key, a message or a credential. */
export class BusFault extends Error {
  readonly code: BusFaultCode;

  constructor(code: BusFaultCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "BusFault";
    this.code = code;
  }
}

/** Hears about faults that no caller is waiting for: a handler that threw, a server that went away. */
export type OnFault = (fault: BusFault) => void;

/** The same listener, made safe to call from anywhere: one that throws must not take the bus down with it. */
export function guarded(onFault: OnFault): OnFault {
  return (fault) => {
    try {
      onFault(fault);
    } catch {
      // There is nobody to report it to.
    }
  };
}
