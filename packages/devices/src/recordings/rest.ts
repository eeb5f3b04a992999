/** A wait that ends early when somebody wakes it. */
export type Rest = { wait(ms: number): Promise<void>; wake(): void };

export function createRest(): Rest {
  let wake = () => {};
  return {
    wake: () => wake(),
    wait: (ms) =>
      new Promise((resolve) => {
        const timer = setTimeout(resolve, ms);
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      }),
  };
}
