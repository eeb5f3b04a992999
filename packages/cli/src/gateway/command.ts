import type { Command } from "commander";
import { GATEWAY_EXIT_HELP } from "./exit-codes.ts";

const COMMANDS = [
  ["start", "start the gateway, also one that has failed"],
  ["stop", "stop the gateway; nothing restarts it until it is started"],
  ["restart", "stop the gateway if it runs, and start it"],
] as const;

/** `backplane gateway …`: speaks to the watchdog, which keeps the gateway. */
export function addGatewayCommand(program: Command): void {
  const gateway = program
    .command("gateway")
    .description("see, start, stop and watch the gateway")
    .addHelpText(
      "after",
      `
Asks the watchdog at WATCHDOG_PORT, which runs as part of: backplane up
${GATEWAY_EXIT_HELP}`,
    );

  gateway
    .command("status")
    .description("print how the gateway is")
    .option("--json", "print the watchdog's status as JSON")
    .addHelpText("after", `\n${GATEWAY_EXIT_HELP}`)
    .action(async ({ json }: { json?: boolean }) => {
      const { printStatus } = await import("./run.ts");
      process.exitCode = await printStatus(process, { json: json === true });
    });

  for (const [name, description] of COMMANDS) {
    gateway
      .command(name)
      .description(description)
      .option("--json", "print the watchdog's status as JSON when it is done")
      .addHelpText("after", `\n${GATEWAY_EXIT_HELP}`)
      .action(async ({ json }: { json?: boolean }) => {
        const { runCommand } = await import("./run.ts");
        process.exitCode = await runCommand(process, name, { json: json === true });
      });
  }

  gateway
    .command("watch")
    .description("follow the gateway until Ctrl-C: a live view in a terminal, else a line a change")
    .option("--json", "print a line of JSON a change")
    .addHelpText("after", `\n${GATEWAY_EXIT_HELP}`)
    .action(async ({ json }: { json?: boolean }) => {
      const { watchGateway } = await import("./watch.ts");
      process.exitCode = await watchGateway(process, { json: json === true });
    });
}
