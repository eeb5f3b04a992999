import { createListeners } from "@backplane/kit/concurrency";
import type { WorkspaceName } from "../calls.ts";
import type { OpenDevices } from "./devices.ts";

/** Devices of the page's workspace. A page that shows none of them neither loads their code nor connects to the hub. */
export type LazyDevices = {
  /** The same for every caller. */
  open(): Promise<OpenDevices>;
  /** Undefined until somebody has opened them. */
  opened(): OpenDevices | undefined;
  onOpened(listener: () => void): () => void;
  close(): void;
};

export function lazyDevices(workspace: WorkspaceName): LazyDevices {
  let opening: Promise<OpenDevices> | undefined;
  let opened: OpenDevices | undefined;
  let isClosed = false;
  const listeners = createListeners((error) => reportError(error));
  return {
    open() {
      opening ??= import("./open-devices.ts").then(
        ({ openDevices }) => {
          const made = openDevices(workspace);
          opened = made;
          if (isClosed) made.close();
          listeners.emit();
          return made;
        },
        (error: unknown) => {
          // The next panel tries again.
          opening = undefined;
          throw error;
        },
      );
      return opening;
    },
    opened: () => opened,
    onOpened: listeners.add,
    close() {
      isClosed = true;
      opening?.then(
        ({ close }) => close(),
        () => {},
      );
    },
  };
}
