// Reads STEP files with OpenCASCADE. The server allows this file to run WebAssembly, and to load nothing: what it works on is sent to
// it (docs/adr/0033-step-models.md).
import open, { type Occt, type OcctParameters } from "occt-import-js";
import { limitMemory, MEMORY_FULL } from "./step-limits.ts";
import { type StepMesh, toStepMesh } from "./step-mesh.ts";

/** `library`: the WebAssembly of OpenCASCADE, with the first order. */
export type StepOrder = { bytes: Uint8Array<ArrayBuffer>; library: ArrayBuffer | undefined };
export type StepAnswer = { mesh: StepMesh } | { fault: string };

/** Curves in few corners: parts are small in the view. */
const PARAMETERS: OcctParameters = {
  ...{ linearUnit: "millimeter", linearDeflectionType: "bounding_box_ratio" },
  ...{ linearDeflection: 0.004, angularDeflection: 0.6 },
};

// The page ends this worker then.
limitMemory(() => self.postMessage({ fault: MEMORY_FULL } satisfies StepAnswer));

let opened: Promise<Occt> | undefined;

self.addEventListener("message", async ({ data }: MessageEvent<StepOrder>) => {
  try {
    if (data.library) opened = open({ wasmBinary: data.library, print() {}, printErr() {} });
    if (!opened) throw new Error("The library is missing.");
    const occt = await opened;
    const mesh = toStepMesh(occt.ReadStepFile(data.bytes, PARAMETERS));
    const { positions, normals, colours, corners } = mesh;
    const transfer = [positions, normals ?? [], colours, corners].flatMap((list) =>
      "buffer" in list ? list.buffer : [],
    );
    self.postMessage({ mesh } satisfies StepAnswer, { transfer });
  } catch (error) {
    // OpenCASCADE throws numbers when a file is damaged.
    const fault = error instanceof Error && error.name === "Error" ? error.message : "It cannot be read as STEP.";
    self.postMessage({ fault } satisfies StepAnswer);
  }
});
