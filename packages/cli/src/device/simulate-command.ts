import { FAULTS, SIMULATED_KINDS, SOCKET_KINDS } from "@backplane/simulators";
import { Argument, type Command, Option } from "commander";
import { action } from "../command.ts";
import { workspaceCommands } from "../workspace-command.ts";
import { DEVICE_HELP } from "./device-help.ts";

const ALL = "all";
const CAMERA = { kind: "camera", description: "an RTSP camera whose pictures show their number, made by ffmpeg" };

/** `backplane simulate`. It needs the simulators to name them, which the other commands about devices do not. */
export function addSimulateCommand(program: Command): void {
  const simulated = [...SIMULATED_KINDS, ...SOCKET_KINDS, CAMERA];
  const width = Math.max(...simulated.map(({ kind }) => kind.length));
  const kinds = simulated.map(({ kind, description }) => `  ${kind.padEnd(width)}  ${description}`);
  const faults = Object.entries(FAULTS).map(([fault, does]) => `  ${fault.padEnd(width)}  ${does}`);
  workspaceCommands(program)("simulate", "run simulated devices in a workspace until Ctrl-C")
    .addArgument(new Argument("<kind>", "what is simulated").choices([...simulated.map(({ kind }) => kind), ALL]))
    .addOption(new Option("--fault <fault...>", "what it does wrong").choices(Object.keys(FAULTS)))
    .option("--id <id>", "the id of the device (default: sim- and the kind)")
    .addHelpText("after", `\nKinds:\n${kinds.join("\n")}\n\nFaults:\n${faults.join("\n")}\n${DEVICE_HELP}`)
    .action(action(async () => (await import("./simulate.ts")).simulate));
}
