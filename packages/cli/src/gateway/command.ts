import type { Command } from "commander";
import { action } from "../command.ts";
import { runsPart } from "../parts/command.ts";

const CONTROLS = [
  ["start", "start the gateway, even after it has failed"],
  ["stop", "stop the gateway; nothing restarts it until you start it"],
  ["restart", "stop the gateway if it is running, and start it"],
] as const;

/** `backplane gateway`: runs one. `backplane gateway …`: calls the watchdog, which runs the gateway. */
export function addGatewayCommand(program: Command): void {
  const gateway = program
    .command("gateway")
    .description("run a gateway in this terminal; with a command: see, start, stop and watch the one of a watchdog")
    .addHelpText(
      "after",
      "\nThe commands call the watchdog at WATCHDOG_PORT, or the one that runs here; it is part of: backplane up",
    );
  gateway
    .command("status")
    .description("print the state of the gateway")
    .option("--json", "print the watchdog's status as JSON")
    .addHelpText("after", "\nThe exit code is 1 if the gateway is not running.")
    .action(action(async () => (await import("./gateway.ts")).printStatus));
  for (const [name, description] of CONTROLS) {
    gateway
      .command(name)
      .description(description)
      .option("--json", "print the watchdog's status as JSON afterwards")
      .action(
        action(async () => {
          const { controlGateway } = await import("./gateway.ts");
          return (host, options) => controlGateway(host, name, options);
        }),
      );
  }
  gateway
    .command("watch")
    .description("follow the gateway until Ctrl-C: a live view in a terminal, otherwise one line per change")
    .option("--json", "print one line of JSON per change")
    .action(action(async () => (await import("./gateway.ts")).watchGateway));
  runsPart(gateway, "gateway");
}
