/** The parts of a window that the frame's own code uses: this package does not have the types of a browser. */
export type FrameWindow = typeof globalThis & {
  eval(code: string): unknown;
  parent: { postMessage(message: unknown, target: string): void };
  addEventListener(type: string, listener: (event: FrameEvent) => void, options?: boolean): void;
  Node?: { prototype: object };
  Element?: { prototype: object };
  HTMLCanvasElement?: { prototype: { getContext: (...given: unknown[]) => unknown } };
};
export type FrameEvent = {
  data?: unknown;
  ports?: readonly FramePort[];
  source?: unknown;
  error?: unknown;
  message?: string;
  reason?: unknown;
  stopImmediatePropagation(): void;
  preventDefault(): void;
};
export type FramePort = {
  postMessage(message: unknown, transfer?: readonly unknown[]): void;
  addEventListener(type: string, listener: (event: FrameEvent) => void): void;
  start(): void;
};

export type Natives = ReturnType<typeof createNatives>;

/**
 * The language's own functions, taken before any foreign code runs: that code may replace every global, and the frame
 * still works.
 *
 * This and the other functions that `documents.ts` lists are sent to browsers as text, so each uses nothing but its
 * parameters and the others of that list.
 */
export function createNatives(frame: FrameWindow) {
  const { bind, call } = Function.prototype;
  const uncurry = bind.bind(call) as <This, Given extends unknown[], Result>(
    method: (this: This, ...given: Given) => Result,
  ) => (self: This, ...given: Given) => Result;
  const getter = (holder: object | undefined, name: string): ((self: unknown) => unknown) => {
    const get = holder && Object.getOwnPropertyDescriptor(holder, name)?.get;
    return get
      ? (uncurry(get) as (self: unknown) => unknown)
      : () => {
          throw new TypeError("absent");
        };
  };
  const typedArray = Object.getPrototypeOf(Uint8Array.prototype);
  return {
    globalEval: frame.eval,
    uncurry,
    ObjectPrototype: Object.prototype,
    ArrayPrototype: Array.prototype,
    create: Object.create as (prototype: object | null) => Record<string, unknown>,
    keys: Object.keys,
    getPrototypeOf: Object.getPrototypeOf,
    getOwnPropertyDescriptor: Object.getOwnPropertyDescriptor,
    defineProperty: Object.defineProperty,
    hasOwn: Object.hasOwn,
    is: Object.is,
    apply: Reflect.apply,
    isArray: Array.isArray,
    objectToString: uncurry(Object.prototype.toString),
    parse: JSON.parse,
    stringify: JSON.stringify as (value: unknown) => string | undefined,
    numberIsFinite: Number.isFinite,
    slice: uncurry(String.prototype.slice as (this: string, start: number, end?: number) => string),
    indexOf: uncurry(String.prototype.indexOf as (this: string, text: string, from?: number) => number),
    execute: uncurry(RegExp.prototype.exec),
    symbolToString: uncurry(Symbol.prototype.toString),
    bigintToString: uncurry(BigInt.prototype.toString as (this: bigint) => string),
    functionToString: uncurry(Function.prototype.toString),
    regexpToString: uncurry(RegExp.prototype.toString),
    dateToISOString: uncurry(Date.prototype.toISOString),
    dateGetTime: uncurry(Date.prototype.getTime),
    mapSize: getter(Map.prototype, "size"),
    mapForEach: uncurry(
      Map.prototype.forEach as (this: Map<unknown, unknown>, each: (value: unknown, key: unknown) => void) => void,
    ),
    setSize: getter(Set.prototype, "size"),
    setForEach: uncurry(Set.prototype.forEach as (this: Set<unknown>, each: (value: unknown) => void) => void),
    onSettled: uncurry(
      Promise.prototype.then as (
        this: Promise<unknown>,
        done: (value: unknown) => void,
        failed: (reason: unknown) => void,
      ) => unknown,
    ),
    isError: (Error as { isError?: (value: unknown) => boolean }).isError ?? (() => false),
    typedArrayName: getter(typedArray, Symbol.toStringTag as unknown as string),
    typedArrayLength: getter(typedArray, "length"),
    nodeType: getter(frame.Node?.prototype, "nodeType"),
    nodeText: getter(frame.Node?.prototype, "textContent"),
    nodeName: getter(frame.Node?.prototype, "nodeName"),
    outerHtml: getter(frame.Element?.prototype, "outerHTML"),
    dateNow: Date.now,
    now: uncurry(frame.performance.now as (this: unknown) => number),
    performance: frame.performance,
    setTimeout: bind.call(frame.setTimeout, frame) as (run: () => void, afterMs: number) => unknown,
    clearTimeout: bind.call(frame.clearTimeout, frame) as (timer: unknown) => void,
    encodedLength: (
      (encoder, encode) => (text: string) =>
        encode(encoder, text).length
    )(new TextEncoder(), uncurry(TextEncoder.prototype.encode as (this: unknown, text: string) => { length: number })),
  };
}
