import { broker, hub } from "./devices/broker.ts";
import { command, stop } from "./devices/control.ts";
import { history } from "./devices/history.ts";
import { page } from "./devices/page.ts";
import { plots } from "./devices/plots.ts";
import { recording } from "./devices/recording.ts";
import { runCases } from "./harness/run-cases.ts";
import type { Session } from "./harness/session.ts";

/** Devices compared with Mosquitto, with two plain MQTT clients, with the broker alone, with plots of all points, and with mqtt.js in a page. */
export const run = (session: Session): Promise<void> =>
  runCases("devices", session, { broker, hub, command, stop, history, recording, plots, page });
