import { InvalidArgumentError } from "commander";

// biome-ignore lint/suspicious/noExplicitAny: commander passes what the user typed
type Run = (host: NodeJS.Process, ...args: any[]) => Promise<number>;

/**
 * The action of a command: `run` gets the process, the arguments and the options. Its module is loaded when the command
 * runs, so that no command loads the others.
 */
export const action =
  (load: () => Promise<Run>) =>
  async (...given: unknown[]): Promise<void> => {
    // Commander passes the command itself last.
    const args = given.slice(0, -1);
    process.exitCode = await (await load())(process, ...args);
  };

/** Parses a number option from `min` to `max`; by default a whole number from 1. */
export const number =
  ({ min = 1, max = Number.MAX_SAFE_INTEGER, isWhole = true } = {}) =>
  (text: string): number => {
    const value = Number(text);
    const isFine = /^\d+(\.\d+)?$/.test(text) && value >= min && value <= max && (!isWhole || Number.isInteger(value));
    if (isFine) return value;
    const range = max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`;
    throw new InvalidArgumentError(`Use a ${isWhole ? "whole " : ""}number ${range}.`);
  };
