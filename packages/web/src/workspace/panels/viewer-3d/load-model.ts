import { Box3, Group, LoadingManager, Mesh, MeshStandardMaterial, type Object3D } from "three";
import { GLTFLoader } from "three/examples/jsm/loaders/GLTFLoader.js";
import { STLLoader } from "three/examples/jsm/loaders/STLLoader.js";
import type { WorkspaceName } from "../../calls.ts";
import { fileAddress } from "../project-files/file-calls.ts";
import { checkResources, gltfJson, ModelFault, PROJECT_SCHEME, resourcePath } from "./gltf-resources.ts";
import type { ModelKind } from "./measures.ts";
import { disposeObject } from "./scenery.ts";

/** glTF uses metres with y up; the stage uses millimetres with z up, as STL files usually do. */
const MM_PER_M = 1_000;

export type Model = { object: Object3D; box: Box3; triangles: number };

/** `path` is undefined for a dropped file, which has no other files beside it. */
export type ModelSource = {
  kind: ModelKind;
  bytes: Uint8Array<ArrayBuffer>;
  project: WorkspaceName;
  path: string | undefined;
};

/** Throws a ModelFault when the model cannot be shown. */
export async function loadModel(source: ModelSource): Promise<Model> {
  const object = source.kind === "stl" ? readStl(source.bytes) : await readGltf(source.kind, source);
  object.updateMatrixWorld(true);
  const box = new Box3().setFromObject(object);
  const triangles = countTriangles(object);
  const why =
    triangles === 0 ? "It has no triangles." : hasNumbers(box) ? undefined : "Some of its positions are not numbers.";
  if (why === undefined) return { object, box, triangles };
  disposeObject(object);
  throw new ModelFault(why);
}

function readStl(bytes: Uint8Array<ArrayBuffer>): Object3D {
  try {
    const geometry = new STLLoader().parse(bytes.slice().buffer);
    // Many programs write 0 0 0 as the normal of a face, which would leave the model without shading.
    geometry.computeVertexNormals();
    const material = new MeshStandardMaterial({ metalness: 0.1, roughness: 0.75 });
    material.userData.isPlain = !geometry.hasAttribute("color");
    material.vertexColors = geometry.hasAttribute("color");
    return new Group().add(new Mesh(geometry, material));
  } catch (error) {
    if (error instanceof RangeError) throw new ModelFault("It ends before its last triangle.");
    throw new ModelFault("It cannot be read as STL.");
  }
}

async function readGltf(kind: "glb" | "gltf", { bytes, project, path }: ModelSource): Promise<Object3D> {
  checkResources(gltfJson(kind, bytes), path);
  const manager = new LoadingManager();
  const missing: string[] = [];
  manager.onError = (url) => missing.push(url);
  manager.setURLModifier((url) => {
    if (/^(data|blob):/i.test(url)) return url;
    const uri = url.startsWith(PROJECT_SCHEME) ? url.slice(PROJECT_SCHEME.length) : undefined;
    const file = path === undefined || uri === undefined ? undefined : resourcePath(path, uri);
    // Addresses were checked before; others that the loader makes up lead nowhere.
    return file === undefined ? "data:," : fileAddress(project, file);
  });
  try {
    const { scene } = await new GLTFLoader(manager).parseAsync(bytes.slice().buffer, PROJECT_SCHEME);
    const upright = new Group().add(scene);
    upright.rotation.x = Math.PI / 2;
    upright.scale.setScalar(MM_PER_M);
    return upright;
  } catch (error) {
    const [first] = missing;
    if (first !== undefined)
      throw new ModelFault(
        `One of its files is missing: ${decodeURIComponent(first.split("/files/").at(-1) ?? first).slice(0, 80)}`,
      );
    throw new ModelFault(
      `It cannot be read as glTF: ${error instanceof Error ? error.message.slice(0, 200) : "no reason given"}`,
    );
  }
}

export function countTriangles(object: Object3D): number {
  let corners = 0;
  object.traverse((part) => {
    if (part instanceof Mesh)
      corners += part.geometry.index?.count ?? part.geometry.getAttribute("position")?.count ?? 0;
  });
  return Math.floor(corners / 3);
}

const hasNumbers = ({ min, max }: Box3): boolean => [...min.toArray(), ...max.toArray()].every(Number.isFinite);
