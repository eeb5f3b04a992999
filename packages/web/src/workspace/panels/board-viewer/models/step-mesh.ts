import type { OcctMesh, OcctResult } from "occt-import-js";
import { inDigits, MAX_TRIANGLES, overLimit } from "./step-limits.ts";

/** A model as the graphics card takes it: one list of triangles, with a colour for each corner. */
export type StepMesh = {
  positions: Float32Array<ArrayBuffer>;
  /** Undefined when one of its solids has none. */
  normals: Float32Array<ArrayBuffer> | undefined;
  colours: Float32Array<ArrayBuffer>;
  corners: Uint32Array<ArrayBuffer>;
};

/** What has no colour in the file. */
const PLAIN = [0.35, 0.35, 0.35] as const;

/** One mesh of all solids. Throws an Error with the reason, in words. */
export function toStepMesh(result: OcctResult): StepMesh {
  if (!result.success) throw new Error("It cannot be read as STEP.");
  const count = (numbers: (mesh: OcctMesh) => number[]) =>
    result.meshes.reduce((sum, mesh) => sum + numbers(mesh).length, 0);
  const cornerCount = count((mesh) => mesh.index.array);
  if (cornerCount === 0) throw new Error("It has no solid.");
  if (cornerCount / 3 > MAX_TRIANGLES)
    throw new Error(
      overLimit(`It has ${inDigits(Math.round(cornerCount / 3))} triangles. The limit is ${inDigits(MAX_TRIANGLES)}.`),
    );
  const length = count((mesh) => mesh.attributes.position.array);
  const [positions, normals, colours] = [new Float32Array(length), new Float32Array(length), new Float32Array(length)];
  const corners = new Uint32Array(cornerCount);
  let [at, cornerAt] = [0, 0];
  for (const mesh of result.meshes) {
    const { position, normal } = mesh.attributes;
    positions.set(position.array, at);
    normals.set(normal?.array ?? [], at);
    paint(mesh, colours.subarray(at, at + position.array.length));
    const first = at / 3;
    for (const [place, corner] of mesh.index.array.entries()) corners[cornerAt + place] = first + corner;
    at += position.array.length;
    cornerAt += mesh.index.array.length;
  }
  if (!positions.every(Number.isFinite)) throw new Error("Some of its positions are not numbers.");
  const hasNormals = result.meshes.every(({ attributes }) => attributes.normal !== undefined);
  return { positions, normals: hasNormals ? normals : undefined, colours, corners };
}

function paint({ index, color, brep_faces }: OcctMesh, colours: Float32Array): void {
  for (let at = 0; at < colours.length; at += 3) colours.set(color ?? PLAIN, at);
  for (const face of brep_faces) {
    if (!face.color) continue;
    for (const corner of index.array.slice(3 * face.first, 3 * face.last + 3)) colours.set(face.color, 3 * corner);
  }
}
