import type { PartModel } from "@backplane/kicad/board";
import { Euler, Group, type Object3D } from "three";
import type { WorkspaceName } from "../../../calls.ts";
import { listFiles, readFile } from "../../project-files/file-calls.ts";
import { nameOf } from "../../project-files/paths.ts";
import { loadModel } from "../../viewer-3d/load-model.ts";
import { MAX_MODEL_BYTES } from "../../viewer-3d/measures.ts";
import type { BoardSummary, NamedPart } from "../worker/messages.ts";
import { toScene } from "./plate.ts";

/** Different models of one board, at most. */
const MAX_MODELS = 100;

const stemOf = (path: string): string =>
  nameOf(path.replaceAll("\\", "/"))
    .replace(/\.[^.]*$/, "")
    .toLowerCase();

/**
 * The file of the project that stands for a model which a board names: a `.glb` of the same name. Boards name files of another
 * machine, so only the last part of their path counts.
 */
export function findModel(files: readonly string[], model: string): string | undefined {
  const stem = stemOf(model);
  return stem === "" ? undefined : files.find((path) => /\.glb$/i.test(path) && stemOf(path) === stem);
}

const radians = (degrees: number): number => (degrees * Math.PI) / 180;

/** Puts a model where its part is, as KiCad does. */
function placeModel(
  board: BoardSummary,
  part: NamedPart,
  { offsetMm, rotate, scale }: PartModel,
  object: Object3D,
): Object3D {
  const [x, y, z] = rotate;
  const turned = new Group().add(object);
  turned.rotation.copy(new Euler(radians(-x), radians(-y), radians(-z), "ZYX"));
  turned.scale.set(...scale);
  turned.position.set(...offsetMm);
  const flipped = new Group().add(turned);
  if (part.side === "back") flipped.rotation.set(Math.PI, 0, 0);
  const placed = new Group().add(flipped);
  const at = toScene(board.outline, part.at);
  placed.position.set(at.x, at.y, (board.thicknessMm / 2) * (part.side === "front" ? 1 : -1));
  placed.rotation.z = radians(part.angle);
  return placed;
}

export type ModelCount = { shown: number; named: number };

/** Gives the models of the parts that the project has, one by one. Returns how many parts name a model, and got one. */
export async function loadModels(
  board: BoardSummary,
  project: WorkspaceName,
  signal: AbortSignal,
  onModel: (part: number, object: Object3D) => void,
): Promise<ModelCount> {
  const wanted = board.parts.flatMap((part, place) => part.models.slice(0, 1).map((model) => ({ part, place, model })));
  if (wanted.length === 0) return { shown: 0, named: 0 };
  const listed = await listFiles(project, signal);
  const files = listed.ok ? listed.value.files.map(({ path }) => path) : [];
  const loaded = new Map<string, Object3D | undefined>();
  let shown = 0;
  for (const { part, place, model } of wanted) {
    const path = findModel(files, model.path);
    if (path === undefined || signal.aborted) continue;
    if (!loaded.has(path) && loaded.size < MAX_MODELS) loaded.set(path, await load(project, path, signal));
    const object = loaded.get(path);
    if (!object || signal.aborted) continue;
    onModel(place, placeModel(board, part, model, object.clone()));
    shown += 1;
  }
  return { shown, named: wanted.length };
}

async function load(project: WorkspaceName, path: string, signal: AbortSignal): Promise<Object3D | undefined> {
  const read = await readFile(project, path, { maxBytes: MAX_MODEL_BYTES, signal });
  if (read.kind !== "read") return undefined;
  // A model that cannot be read stays a box.
  return loadModel({ kind: "glb", bytes: read.bytes, project, path }).then(
    ({ object }) => object,
    () => undefined,
  );
}
