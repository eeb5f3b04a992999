/** One address that has connections: they share it, instead of a copy of its text each. */
export type AddressTally = { readonly address: string; count: number };

export class Addresses {
  readonly #tallies = new Map<string, AddressTally>();

  countOf(address: string): number {
    return this.#tallies.get(address)?.count ?? 0;
  }

  enter(address: string): AddressTally {
    let tally = this.#tallies.get(address);
    if (tally === undefined) {
      tally = { address, count: 0 };
      this.#tallies.set(address, tally);
    }
    tally.count += 1;
    return tally;
  }

  leave(tally: AddressTally): void {
    tally.count -= 1;
    if (tally.count === 0) this.#tallies.delete(tally.address);
  }
}
