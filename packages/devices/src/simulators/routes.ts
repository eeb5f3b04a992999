import { NewSimulator, RunningSimulator, Simulators } from "@backplane/contract/devices";
import type { App } from "@backplane/kit/http";
import { Problem } from "@backplane/kit/problems";
import { Type } from "typebox";
import { type HubRoutes, hubOpener } from "../hub/routes.ts";
import { aboutDevices, DEVICES, NOT_STORED, OfDevice } from "../route-options.ts";
import type { Dependencies } from "../services.ts";
import type { SimulatorRunner } from "./simulators.ts";

type SimulatorRoutes = Pick<HubRoutes, "openWorkspace" | "openHub"> &
  Pick<Dependencies, "simulators" | "note"> & { runner: SimulatorRunner };

/** Devices for people without hardware, started from a page. */
export function serveSimulators(app: App, routes: SimulatorRoutes): void {
  const { runner, simulators, note } = routes;
  const open = hubOpener(routes);
  const PATH = `${DEVICES}/simulators`;

  app.get(
    PATH,
    {
      ...NOT_STORED,
      schema: {
        ...aboutDevices("Which devices can be simulated, and which simulators run in the server"),
        response: { 200: Simulators },
      },
    },
    async (request) => {
      const { workspace } = await open(request, "read");
      const kinds = (simulators?.kinds ?? []).map((kind) => ({ ...kind, shows: [...kind.shows] }));
      return { kinds, running: runner.running(workspace.id) };
    },
  );

  app.post(
    PATH,
    {
      ...NOT_STORED,
      schema: {
        ...aboutDevices(
          "Start a simulated device in the server",
          "It connects as a real device does, with a key that exists only while it runs. It ends with the last page of the workspace, and after four hours at the latest.",
          ["simulators-off", "invalid-parameter", "not-ready"],
        ),
        ...{ access: "devices:control" as const, body: NewSimulator, response: { 201: RunningSimulator } },
      },
    },
    async (request, reply) => {
      const { workspace, caller, hub } = await open(request, "control");
      const started = await runner.start(workspace, hub, request.body.kind, caller.userId);
      note(workspace.id, "info", "devices", `${caller.userName} started the simulator ${started.device}.`);
      return reply.code(201).send(started);
    },
  );

  app.delete(
    `${PATH}/:device`,
    {
      ...NOT_STORED,
      schema: {
        ...aboutDevices("End a simulator; its device is removed", undefined, ["device-unknown"]),
        ...{ access: "devices:control" as const, params: OfDevice, response: { 204: Type.Null() } },
      },
    },
    async (request, reply) => {
      const { workspace, caller } = await open(request, "control");
      const { device } = request.params;
      if (!(await runner.end(workspace.id, device)))
        throw new Problem("device-unknown", { detail: `No simulator named ${device} runs in this server.` });
      note(workspace.id, "info", "devices", `${caller.userName} ended the simulator ${device}.`);
      return reply.code(204).send(null);
    },
  );
}
