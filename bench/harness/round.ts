export type Measurement = {
  operations: number;
  wallS: number;
  cpuS: number;
  p50Ms?: number;
  p99Ms?: number;
  /** How late the load generator itself was to send: its own share of the latencies. */
  sentP50Ms?: number;
  sentP99Ms?: number;
  /** What the rest of the machine did meanwhile, in cores: neither the servers nor the load generator. */
  othersCores?: number;
  /** Memory that the server took for each operation and still has. */
  bytesEach?: number;
};

export type Round = { dropped: boolean; measurements: Readonly<Record<string, Measurement>> };

/** The turns of one contestant as one measurement; of latencies the median turn. */
export function together(turns: readonly Measurement[]): Measurement {
  const [first, ...more] = turns;
  if (first === undefined || more.length === 0) return first ?? { operations: 0, wallS: 0, cpuS: 0 };
  const sum = (of: (turn: Measurement) => number) => turns.reduce((total, turn) => total + of(turn), 0);
  const middle = (of: (turn: Measurement) => number | undefined) =>
    turns
      .map(of)
      .filter((value) => value !== undefined)
      .sort((a, b) => a - b)[Math.floor(turns.length / 2)];
  const [p50Ms, p99Ms] = [middle((turn) => turn.p50Ms), middle((turn) => turn.p99Ms)];
  return {
    operations: sum((turn) => turn.operations),
    wallS: sum((turn) => turn.wallS),
    cpuS: sum((turn) => turn.cpuS),
    ...(p50Ms === undefined ? {} : { p50Ms }),
    ...(p99Ms === undefined ? {} : { p99Ms }),
  };
}
