import { Command, InvalidArgumentError } from "commander";
import { inOwnWords } from "./own-command.ts";

const hosts = new WeakMap<Command, NodeJS.Process>();

/** An empty command line, which reads from and writes to this process. */
export function commandLineOf(host: NodeJS.Process, name: string): Command {
  const program = new Command(name).configureOutput({
    writeOut: (text) => void host.stdout.write(inOwnWords(host.env, text)),
    writeErr: (text) => void host.stderr.write(inOwnWords(host.env, text)),
  });
  // Options belong to the command that they come after.
  program.enablePositionalOptions();
  hosts.set(program, host);
  return program;
}

/** The process whose command line this is a command of. */
export const hostOf = (command: Command): NodeJS.Process =>
  hosts.get(command) ?? (command.parent ? hostOf(command.parent) : process);

// biome-ignore lint/suspicious/noExplicitAny: commander passes what the user typed
type Run = (host: NodeJS.Process, ...args: any[]) => Promise<number>;

/**
 * The action of a command: `run` gets the process, the arguments and the options. Its module is loaded when the command
 * runs, so that no command loads the others.
 */
export const action =
  (load: () => Promise<Run>) =>
  async (...given: unknown[]): Promise<void> => {
    // Commander passes the options and the command itself last. An option that the command above has, too, is given to that one.
    const command = given.at(-1) as Command;
    const host = hostOf(command);
    host.exitCode = await (await load())(host, ...given.slice(0, -2), command.optsWithGlobals());
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
