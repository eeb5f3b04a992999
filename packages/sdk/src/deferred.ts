export type Deferred<T> = { promise: Promise<T>; resolve(value: T): void; reject(error: Error): void };

/** `Promise.withResolvers` for Node 20. A rejection that nobody handles does not end the process. */
export function createDeferred<T>(): Deferred<T> {
  let resolve: (value: T) => void = () => {};
  let reject: (error: Error) => void = () => {};
  const promise = new Promise<T>((fulfil, refuse) => {
    resolve = fulfil;
    reject = refuse;
  });
  promise.catch(() => {});
  return { promise, resolve, reject };
}
