import type { App } from "@backplane/kit/http";
import type { Services } from "../services.ts";
import { createDriverNames } from "./driver-names.ts";
import { openEvalQueue } from "./eval-queue.ts";
import { createEvalStore } from "./eval-store.ts";
import { type AnswerFrame, createFrameServer } from "./frame/serve-frame.ts";
import { serveSandboxes } from "./routes.ts";

export type Sandboxes = {
  /** Whatever comes to the host of a sandbox's frame. */
  answer: AnswerFrame;
  addRoutes(app: App): void;
  close(): Promise<void>;
};

/** Sandboxes: the frames that code runs in, how programs drive them, and the code that waits for a browser. */
export async function openSandboxes(services: Services): Promise<Sandboxes> {
  const store = createEvalStore(services.database);
  const queue = await openEvalQueue({ ...services, store });
  const drivers = createDriverNames(services);
  return {
    answer: await createFrameServer(services.settings),
    addRoutes: (app) => serveSandboxes(app, services, queue, drivers),
    async close() {
      await queue.close();
      await drivers.close();
    },
  };
}
