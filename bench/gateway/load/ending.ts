/** The end of a phase: nothing new starts, and what is in progress ends or counts as lost. */
export class Ending {
  readonly #isSettled: () => boolean;
  readonly #lostAfterMs: number;
  readonly #settled = Promise.withResolvers<boolean>();
  #isNear = false;

  constructor(lostAfterMs: number, isSettled: () => boolean) {
    this.#lostAfterMs = lostAfterMs;
    this.#isSettled = isSettled;
  }

  get isNear(): boolean {
    return this.#isNear;
  }

  /** Called whenever something ended. */
  check(): void {
    if (this.#isNear && this.#isSettled()) this.#settled.resolve(true);
  }

  /** False when something did not end. */
  async reach(): Promise<boolean> {
    this.#isNear = true;
    this.check();
    const timer = setTimeout(() => this.#settled.resolve(false), this.#lostAfterMs);
    const settled = await this.#settled.promise;
    clearTimeout(timer);
    return settled;
  }
}
