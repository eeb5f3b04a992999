/** Sets of things that are connected, known by text keys. Joining and finding take almost constant time. */
export class Groups {
  readonly #ids = new Map<string, number>();
  readonly #parents: number[] = [];

  /** The number that stands for the whole group of `key`. It changes when groups are joined. */
  find(key: string): number {
    let id = this.#ids.get(key);
    if (id === undefined) {
      id = this.#parents.length;
      this.#ids.set(key, id);
      this.#parents.push(id);
      return id;
    }
    return this.#root(id);
  }

  join(one: string, other: string): void {
    const [a, b] = [this.find(one), this.find(other)];
    if (a !== b) this.#parents[Math.max(a, b)] = Math.min(a, b);
  }

  #root(id: number): number {
    let at = id;
    for (let up = this.#parents[at] ?? at; up !== at; up = this.#parents[at] ?? at) {
      this.#parents[at] = this.#parents[up] ?? up;
      at = up;
    }
    return at;
  }
}
