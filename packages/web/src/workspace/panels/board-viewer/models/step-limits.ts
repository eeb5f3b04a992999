import { sizeWords } from "../../project-files/paths.ts";

/** Entities of one file. The largest of the 6,227 models of KiCad 6 has 195,239 of them. */
export const MAX_ENTITIES = 200_000;
/** Triangles of one model. The largest of KiCad's own have about a third of it. */
export const MAX_TRIANGLES = 300_000;
/** Memory of the library. */
const MAX_MEMORY_BYTES = 512 * 1024 * 1024;

const PAGE_BYTES = 65_536;
const EQUALS = "=".charCodeAt(0);
/** A .glb is taken before a STEP file of the same name. */
const NEXT_STEP = "Use a simpler model, or save it as .glb under the same name.";

/** What a STEP file says that is over a limit: the limit, and what a person can do. */
export const overLimit = (words: string): string => `${words} ${NEXT_STEP}`;

export const inDigits = (count: number): string => count.toLocaleString("en");

/** Why a file is not given to the library, which takes about 0.1 ms for each entity; undefined when it is. */
export function refuseEntities(bytes: Uint8Array): string | undefined {
  let count = 0;
  // Each entity has one "=", and nothing else has but texts.
  for (let at = bytes.indexOf(EQUALS); at >= 0; at = bytes.indexOf(EQUALS, at + 1)) {
    count += 1;
    if (count > MAX_ENTITIES)
      return overLimit(`It has more entities than the limit of ${inDigits(MAX_ENTITIES)} per STEP file.`);
  }
  return undefined;
}

export const MEMORY_FULL = overLimit(
  `To read it, the memory would have to grow beyond the limit of ${sizeWords(MAX_MEMORY_BYTES)}.`,
);

/**
 * Lets no WebAssembly of this thread grow beyond the limit, and tells so at once: OpenCASCADE goes on without the memory, and gives a
 * model with parts missing.
 */
export function limitMemory(onFull: () => void, maxBytes = MAX_MEMORY_BYTES): void {
  const { grow } = WebAssembly.Memory.prototype;
  WebAssembly.Memory.prototype.grow = function growWithin(pages: number) {
    if (this.buffer.byteLength + pages * PAGE_BYTES <= maxBytes) return grow.call(this, pages);
    onFull();
    throw new RangeError("The limit of memory is reached.");
  };
}
