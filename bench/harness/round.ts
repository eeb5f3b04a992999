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
