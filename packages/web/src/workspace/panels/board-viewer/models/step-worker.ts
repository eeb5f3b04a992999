// Reads STEP files with OpenCASCADE. The server allows this file to run WebAssembly, and to load nothing: what it works on is sent to
// it (docs/adr/0033-step-models.md).
import open, { type Occt, type OcctParameters } from "occt-import-js";
import { type StepMesh, toStepMesh } from "./step-mesh.ts";

/** `library`: the WebAssembly of OpenCASCADE, with the first order. */
export type StepOrder = { bytes: Uint8Array<ArrayBuffer>; library: ArrayBuffer | undefined };
export type StepAnswer = { mesh: StepMesh } | { fault: string };

/** Curves in few corners: parts are small in the view. */
const PARAMETERS: OcctParameters = {
  ...{ linearUnit: "millimeter", linearDeflectionType: "bounding_box_ratio" },
  ...{ linearDeflection: 0.004, angularDeflection: 0.6 },
};

const MAX_MEMORY_BYTES = 512 * 1024 * 1024;
const PAGE_BYTES = 65_536;

const grow = WebAssembly.Memory.prototype.grow;
WebAssembly.Memory.prototype.grow = function growWithin(pages: number) {
  if (this.buffer.byteLength + pages * PAGE_BYTES > MAX_MEMORY_BYTES) throw new RangeError("It needs too much memory.");
  return grow.call(this, pages);
};

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
    // OpenCASCADE throws numbers when a file is damaged or its memory is full.
    const fault = error instanceof Error && error.name === "Error" ? error.message : "It cannot be read as STEP.";
    self.postMessage({ fault } satisfies StepAnswer);
  }
});
