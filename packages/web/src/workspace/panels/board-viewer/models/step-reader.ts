import libraryAddress from "occt-import-js/dist/occt-import-js.wasm?url";
import { ModelFault } from "../../viewer-3d/gltf-resources.ts";
import { overLimit, refuseEntities } from "./step-limits.ts";
import type { StepMesh } from "./step-mesh.ts";
import type { StepAnswer, StepOrder } from "./step-worker.ts";

/** A file that takes longer is given up, by ending the worker. Starting the library is part of the first one's time. */
const READ_WITHIN_MS = 60_000;
/** After so many files that took too long, the others of the board are not tried. */
const MAX_LATE = 3;

/** Reads STEP files one after another, in a worker that starts with the first. */
export class StepReader {
  #library: Promise<ArrayBuffer> | undefined;
  #worker: Worker | undefined;
  #late = 0;

  /** Throws a ModelFault with the reason. */
  async read(bytes: Uint8Array<ArrayBuffer>, signal: AbortSignal): Promise<StepMesh> {
    const refusal = refuseEntities(bytes);
    if (refusal !== undefined) throw new ModelFault(refusal);
    if (this.#late >= MAX_LATE)
      throw new ModelFault(
        `It was not tried: ${MAX_LATE} other models took too long. Replace them, then open the board again.`,
      );
    this.#library ??= this.#load();
    const library = await this.#library;
    signal.throwIfAborted();
    const isFirst = this.#worker === undefined;
    const worker = this.#worker ?? new Worker(new URL("./step-worker.ts", import.meta.url), { type: "module" });
    this.#worker = worker;
    const answer = await this.#ask(worker, { bytes, library: isFirst ? library : undefined }, signal);
    if ("mesh" in answer) return answer.mesh;
    // What a damaged file left in the memory of the library is gone with it.
    this.close();
    throw new ModelFault(answer.fault);
  }

  close(): void {
    this.#worker?.terminate();
    this.#worker = undefined;
  }

  #ask(worker: Worker, order: StepOrder, signal: AbortSignal): Promise<StepAnswer> {
    const { promise, resolve } = Promise.withResolvers<StepAnswer>();
    const timer = setTimeout(() => {
      this.#late += 1;
      resolve({ fault: overLimit(`Reading it takes more than the limit of ${READ_WITHIN_MS / 1_000} s.`) });
    }, READ_WITHIN_MS);
    worker.onmessage = ({ data }: MessageEvent<StepAnswer>) => resolve(data);
    worker.onerror = () => resolve({ fault: "It cannot be read: the reader has stopped." });
    const onLeave = () => resolve({ fault: "The board was closed." });
    signal.addEventListener("abort", onLeave);
    worker.postMessage(order);
    return promise.finally(() => {
      clearTimeout(timer);
      signal.removeEventListener("abort", onLeave);
    });
  }

  async #load(): Promise<ArrayBuffer> {
    try {
      const response = await fetch(libraryAddress);
      if (response.ok) return await response.arrayBuffer();
    } catch {
      // Tried again with the next model.
    }
    this.#library = undefined;
    throw new ModelFault("The library for STEP files cannot be loaded now.");
  }
}
