import { resolvePath } from "../project-files/paths.ts";

/** No model made by hand has more files than this. */
const MAX_RESOURCES = 100;
/** The base address that the loader gets: the addresses it requests start with this. */
export const PROJECT_SCHEME = "project-file:";

/** Why a model cannot be shown. */
export class ModelFault extends Error {
  override name = "ModelFault";
}

const CHUNK_JSON = 0x4e4f534a;
const MAGIC = 0x46546c67;

/** The JSON of a .glb or .gltf. */
export function gltfJson(kind: "glb" | "gltf", bytes: Uint8Array): unknown {
  let text = bytes;
  if (kind === "glb") {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    if (bytes.length < 20 || view.getUint32(0, true) !== MAGIC)
      throw new ModelFault("It does not start like a GLB file.");
    if (view.getUint32(4, true) !== 2) throw new ModelFault("It is not glTF version 2.");
    const length = view.getUint32(12, true);
    if (view.getUint32(16, true) !== CHUNK_JSON || 20 + length > bytes.length)
      throw new ModelFault("Its description is cut off.");
    text = bytes.subarray(20, 20 + length);
  }
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(text));
  } catch {
    throw new ModelFault("Its description is not valid JSON.");
  }
}

type Described = { uri?: unknown };

/** Refuses a model that would load anything but files of the project, before anything is loaded. */
export function checkResources(json: unknown, path: string | undefined): void {
  if (typeof json !== "object" || json === null) throw new ModelFault("Its description is not glTF.");
  const { buffers, images, extensionsRequired } = json as Record<string, unknown>;
  for (const extension of Array.isArray(extensionsRequired) ? extensionsRequired : []) {
    const why = UNREAD[String(extension)];
    if (why !== undefined) throw new ModelFault(`It is ${why}, which this viewer does not read. Export it without.`);
  }
  const all = [buffers, images].flatMap((list) => (Array.isArray(list) ? (list as (Described | null)[]) : []));
  const outside = all.map((one) => one?.uri).filter((uri) => uri !== undefined && !isEmbedded(uri));
  if (outside.length > MAX_RESOURCES) throw new ModelFault(`It has more than ${MAX_RESOURCES} files.`);
  for (const uri of outside) {
    if (path === undefined) {
      throw new ModelFault(`It needs another file, ${shortened(uri)}. Put both into the project, or drop a .glb.`);
    }
    if (typeof uri !== "string" || resourcePath(path, uri) === undefined) {
      throw new ModelFault(`It needs ${shortened(uri)}, which is not a file of this project.`);
    }
  }
}

const UNREAD: Readonly<Record<string, string>> = {
  KHR_draco_mesh_compression: "compressed with Draco",
  EXT_meshopt_compression: "compressed with meshopt",
  KHR_texture_basisu: "textured with Basis Universal",
};

const isEmbedded = (uri: unknown): boolean => typeof uri === "string" && /^data:/i.test(uri);

const shortened = (uri: unknown): string => JSON.stringify(String(uri).slice(0, 80));

/** The file of the project that an address in a model means; undefined when it means something else. */
export function resourcePath(modelPath: string, uri: string): string | undefined {
  if (/^[a-z][a-z0-9+.-]*:/i.test(uri) || uri.startsWith("/") || uri.includes("\\")) return undefined;
  try {
    return resolvePath(modelPath, decodeURIComponent(uri));
  } catch {
    return undefined;
  }
}
