import { Problem } from "@backplane/kit/problems";
import type { Recorder } from "../services.ts";

const refuse = async (): Promise<never> => {
  throw new Problem("not-found", { detail: "There is no such recording." });
};

/** For a workspace whose recordings are kept by another instance: nothing is recorded here. */
export const noRecordings = (onChange: Recorder["onChange"] = () => () => {}): Recorder => ({
  list: async () => [],
  ...{ start: refuse, stop: refuse, rename: refuse, remove: refuse },
  replay: () => null,
  setReplay: async () => null,
  read: async () => [],
  onChange,
  close: async () => {},
});
