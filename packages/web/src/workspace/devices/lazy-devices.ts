import type { WorkspaceName } from "../calls.ts";
import type { OpenDevices } from "./devices.ts";

/** Devices of the page's workspace. A page that shows none of them neither loads their code nor connects to the hub. */
export type LazyDevices = {
  /** The same for every caller. */
  open(): Promise<OpenDevices>;
  close(): void;
};

export function lazyDevices(workspace: WorkspaceName): LazyDevices {
  let opening: Promise<OpenDevices> | undefined;
  let isClosed = false;
  return {
    open() {
      opening ??= import("./open-devices.ts").then(
        ({ openDevices }) => {
          const opened = openDevices(workspace);
          if (isClosed) opened.close();
          return opened;
        },
        (error: unknown) => {
          // The next panel tries again.
          opening = undefined;
          throw error;
        },
      );
      return opening;
    },
    close() {
      isClosed = true;
      opening?.then(
        ({ close }) => close(),
        () => {},
      );
    },
  };
}
