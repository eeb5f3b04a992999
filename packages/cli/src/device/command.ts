import { type Command, InvalidArgumentError, Option } from "commander";
import { action } from "../command.ts";
import { workspaceCommands } from "../workspace-command.ts";
import { DEVICE_HELP } from "./device-help.ts";

function addRecordingCommands(add: ReturnType<typeof workspaceCommands>): void {
  add("record [name]", "record all devices until Ctrl-C")
    .option("--last <minutes>", "begin this many minutes ago, with what is in memory", parseNumber)
    .option("--device <id...>", "only these devices")
    .action(action(async () => (await import("./recordings.ts")).record));
  add("keep [name]", "save what just happened: the last 10 minutes, from memory")
    .option("--last <minutes>", "only this many", parseNumber)
    .option("--device <id...>", "only these devices")
    .action(action(async () => (await import("./recordings.ts")).keep));
  add("recordings", "list the recordings").action(action(async () => (await import("./recordings.ts")).recordings));
  add("export <recording>", "save a recording as a file: MCAP, or what was measured as CSV or Parquet")
    .addOption(new Option("--format <format>", "of the file").choices(["mcap", "csv", "parquet"]))
    .option("--device <id>", "with --capability: one row per sample, one column per field")
    .option("--capability <id>", "of the device")
    .option("--from <time>", "such as 2026-07-28T14:30:00Z")
    .option("--to <time>", "such as 2026-07-28T14:35:00Z")
    .option("--out <file>", "the file; - is standard output (default: the recording's name)")
    .option("--force", "replace a file that exists")
    .action(action(async () => (await import("./recordings.ts")).exportRecording));
  add("replay <recording>", "print what was recorded as it came, one JSON value per line")
    .option("--speed <speed>", "from 0.1 to 16", parseNumber)
    .option("--at <time>", "where it begins, such as 2026-07-28T14:30:00Z")
    .option("--device <id>", "only of this device")
    .option("--capability <id>", "only of this capability")
    .action(action(async () => (await import("./recordings.ts")).replay));
  add("forget <recording>", "remove a recording with its file").action(
    action(async () => (await import("./recordings.ts")).forget),
  );
}

function addSourceCommands(add: ReturnType<typeof workspaceCommands>): void {
  add("connect <name> <kind> [settings...]", "connect to a device that does not speak MQTT, and keep it connected")
    .addHelpText("after", "\nSettings are pairs such as host=192.168.1.40 port=8888. Kinds: backplane device sources")
    .action(action(async () => (await import("./sources.ts")).connect));
  add("sources", "list the devices that Backplane connects to, and the kinds that it can").action(
    action(async () => (await import("./sources.ts")).sources),
  );
  add("disconnect <name>", "end the connection to a device; what moves is stopped").action(
    action(async () => (await import("./sources.ts")).disconnect),
  );
}

/** `backplane stream`. */
function addStreamCommands(program: Command): void {
  const stream = program
    .command("stream")
    .description("the cameras of a workspace: list, add, remove, keys for pushing")
    .addHelpText("after", DEVICE_HELP);
  const add = workspaceCommands(stream);
  add("list", "list the cameras with their state, and the kinds that there are").action(
    action(async () => (await import("./streams.ts")).list),
  );
  add("add <name> <kind> [settings...]", "add a camera")
    .addHelpText(
      "after",
      "\nSettings are pairs such as address=rtsp://192.168.1.60/stream1 user=admin password=-\nThe value - is read from standard input. Kinds: backplane stream list",
    )
    .action(action(async () => (await import("./streams.ts")).add));
  add("key <name>", "make a new key for pushing pictures to a camera of the kind whip; it is shown once").action(
    action(async () => (await import("./streams.ts")).newKey),
  );
  add("remove <name>", "remove a camera; whoever looks sees it end").action(
    action(async () => (await import("./streams.ts")).remove),
  );
}

function parseNumber(text: string): number {
  const number = Number(text);
  if (text.trim() === "" || !Number.isFinite(number) || number <= 0) throw new InvalidArgumentError("Use a number.");
  return number;
}

/** `backplane device` and `backplane stream`. */
export function addDeviceCommands(program: Command): void {
  const device = program
    .command("device")
    .description("the devices of a workspace: what they measure, commands, keys, stop, recordings")
    .addHelpText("after", DEVICE_HELP);
  const add = workspaceCommands(device);

  add("list", "list the devices, and what each can do").action(action(async () => (await import("./devices.ts")).list));
  add("read <device> <capability>", "print the last values").action(
    action(async () => (await import("./devices.ts")).read),
  );
  add("wait <device> <capability> [field]", "wait until a field is above, below or equal to something, or for a sample")
    .option("--above <number>", "until it is above this")
    .option("--below <number>", "until it is below this")
    .option("--equals <value>", "until it is this")
    .option("--timeout <seconds>", "how long, up to 30", "10")
    .action(action(async () => (await import("./devices.ts")).wait));
  add("follow <device> [capability]", "print values as they come, one JSON object per line, until Ctrl-C").action(
    action(async () => (await import("./devices.ts")).follow),
  );
  add("command <device> <capability> <name> [params]", "send a command; params are JSON")
    .option("--arm", "take control and arm the device first")
    .action(action(async () => (await import("./devices.ts")).command));
  add("stop", "stop everything that moves or is powered").action(
    action(async () => (await import("./devices.ts")).stop),
  );
  add("clear", "after a stop, let devices be controlled again").action(
    action(async () => (await import("./devices.ts")).clear),
  );
  add("key <name>", "make a key by which a device connects; it is shown once")
    .option("--device <id>", "only for the device with this id")
    .option("--gateway", "for a program that speaks for several devices, such as Zigbee2MQTT")
    .action(action(async () => (await import("./devices.ts")).makeKey));
  add("keys", "list the keys, and where devices connect").action(
    action(async () => (await import("./devices.ts")).keys),
  );
  addSourceCommands(add);
  add("foxglove", "make a link by which Foxglove or Lichtblick shows the devices").action(
    action(async () => (await import("./devices.ts")).foxglove),
  );

  addRecordingCommands(add);
  addStreamCommands(program);
}
