import type { ScpiCommand } from "./codec.ts";

/** How a supply names its outputs. */
export type Dialect = {
  isFor(maker: string): boolean;
  /** What names an output in a question. */
  output(channel: number): Pick<ScpiCommand, "args">;
  setOutput(channel: number, isOn: boolean): ScpiCommand;
  /** Without amperes it is a question. */
  limit(channel: number, amperes: number | undefined, bound?: "MAX"): ScpiCommand;
};

const onOff = (isOn: boolean): string => (isOn ? "ON" : "OFF");
/** Undefined is a question. */
const setOrAsk = (header: string, value: number | undefined, args: readonly string[]): ScpiCommand =>
  value === undefined ? { header: `${header}?`, args } : { header, args: [value.toFixed(4), ...args] };

/** Rigol DP800 and DP700: `:OUTP CH1,ON`, `:SOUR1:CURR 1.5`. */
const rigol: Dialect = {
  isFor: (maker) => /rigol/i.test(maker),
  output: (channel) => ({ args: [`CH${channel}`] }),
  setOutput: (channel, isOn) => ({ header: ":OUTP", args: [`CH${channel}`, onOff(isOn)] }),
  limit: (channel, amperes, bound) => setOrAsk(`:SOUR${channel}:CURR`, amperes, bound ? [bound] : []),
};

/** Keysight and Agilent, with channel lists: `OUTP ON,(@1)`. */
const keysight: Dialect = {
  isFor: (maker) => /keysight|agilent/i.test(maker),
  output: (channel) => ({ args: [`(@${channel})`] }),
  setOutput: (channel, isOn) => ({ header: "OUTP", args: [onOff(isOn), `(@${channel})`] }),
  limit: (channel, amperes, bound) => setOrAsk("CURR", amperes, [...(bound ? [bound] : []), `(@${channel})`]),
};

/** Any other supply, with one output: `OUTP ON`, as SCPI-99 has it. */
const standard: Dialect = {
  isFor: () => true,
  output: () => ({ args: [] }),
  setOutput: (_channel, isOn) => ({ header: "OUTP", args: [onOff(isOn)] }),
  limit: (_channel, amperes, bound) => setOrAsk("CURR", amperes, bound ? [bound] : []),
};

export const dialectOf = (maker: string): Dialect => [rigol, keysight].find((one) => one.isFor(maker)) ?? standard;
