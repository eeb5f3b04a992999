import { once } from "node:events";
import { mkdtempSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { findCommand, findOrInstall, mosquitto, mosquittoClients } from "./find-or-install.ts";
import { type Kept, keep } from "./kept.ts";
import { connectTimeoutMs } from "./limits.ts";
import type { Service } from "./service.ts";
import { startService } from "./start-service.ts";

/** A new Mosquitto that keeps nothing on disk; with TEST_MQTT_URL, a relay to that broker. */
export const startMosquitto = (): Promise<Service> =>
  startService({
    tool: mosquitto,
    urlOf: (port) => `mqtt://127.0.0.1:${port}`,
    usualPort: 1883,
    stopSignal: "SIGTERM",
    keepLocal,
    ping: pingMqtt,
  });

/** Makes sure that a Mosquitto can be started. */
export async function fetchMosquitto(): Promise<void> {
  await findOrInstall(mosquitto);
}

/** Paths of the clients, which come in one package. */
export async function findMosquittoClients(): Promise<{ pub: string; sub: string }> {
  const pub = await findCommand(mosquittoClients);
  return { pub, sub: join(dirname(pub), "mosquitto_sub") };
}

function keepLocal(command: string, port: number): Kept {
  const folder = mkdtempSync(join(tmpdir(), "backplane-mosquitto-"));
  const config = join(folder, "mosquitto.conf");
  // Started by root it would become another user, who cannot read the folder.
  writeFileSync(config, `listener ${port} 127.0.0.1\nallow_anonymous true\npersistence false\nuser root\n`);
  return keep({ command, args: ["-c", config], folder, endSignal: "SIGTERM" });
}

/** CONNECT of MQTT 3.1.1 with the client id "ping", answered by CONNACK. */
const CONNECT = Buffer.from("101000044d5154540402000a000470696e67", "hex");

async function pingMqtt(port: number): Promise<void> {
  const socket = connect({ port, host: "127.0.0.1" });
  try {
    await once(socket, "connect", { signal: AbortSignal.timeout(connectTimeoutMs) });
    socket.write(CONNECT);
    const [answer] = (await once(socket, "data", { signal: AbortSignal.timeout(connectTimeoutMs) })) as [Buffer];
    if (answer[0] !== 0x20 || answer[3] !== 0) throw new Error(`Mosquitto answered ${answer.toString("hex")}.`);
  } finally {
    socket.destroy();
  }
}
