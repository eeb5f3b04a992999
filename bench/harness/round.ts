export type Measurement = {
  operations: number;
  wallS: number;
  cpuS: number;
  p50Ms?: number;
  p99Ms?: number;
};

export type Round = { dropped: boolean; measurements: Readonly<Record<string, Measurement>> };
