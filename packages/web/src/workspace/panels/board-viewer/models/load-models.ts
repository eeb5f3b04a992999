import type { PartModel } from "@backplane/kicad/board";
import { BufferAttribute, BufferGeometry, Euler, Group, Mesh, MeshLambertMaterial, type Object3D } from "three";
import type { WorkspaceName } from "../../../calls.ts";
import { extensionOf } from "../../project-files/paths.ts";
import { ModelFault } from "../../viewer-3d/gltf-resources.ts";
import { countTriangles, loadModel } from "../../viewer-3d/load-model.ts";
import { disposeObject } from "../../viewer-3d/scenery.ts";
import { toScene } from "../stage/plate.ts";
import type { BoardSummary, NamedPart } from "../worker/messages.ts";
import { findModel } from "./find-model.ts";
import { listPackagedModels, listProjectModels, type ModelFile } from "./model-files.ts";
import { inDigits } from "./step-limits.ts";
import type { StepMesh } from "./step-mesh.ts";
import { StepReader } from "./step-reader.ts";

/** Different models of one board, models of one part, and triangles of all parts together. */
const MAX_MODELS = 200;
const MAX_MODELS_OF_PART = 4;
const MAX_TRIANGLES_DRAWN = 2_000_000;

const TOO_MANY_TRIANGLES = `With it, the models of this board have more than the limit of ${inDigits(MAX_TRIANGLES_DRAWN)} triangles. Use simpler models.`;
const NOT_FOUND = "No .glb, .step or .stp of this name is in the project or in a library package.";

/** What became of the models that parts name. */
export type Models = {
  /** Parts that name a model, and those of them that show one. */
  named: number;
  shown: number;
  isDone: boolean;
  /** By place in the list of parts: the file that is shown, or why the part is a box. */
  words: ReadonlyMap<number, string>;
};

type Listeners = {
  onModel(part: number, object: Object3D): void;
  onProgress(models: Models): void;
};

/** The models of the parts of one board. A file is read once, however often the view is opened. */
export class ModelLoader {
  readonly #board: BoardSummary;
  readonly #project: WorkspaceName;
  readonly #leaving = new AbortController();
  readonly #steps = new StepReader();
  readonly #read = new Map<ModelFile, Promise<Object3D>>();
  #ofProject: Promise<ModelFile[]> | undefined;
  #ofPackages: Promise<ModelFile[]> | undefined;

  constructor(board: BoardSummary, project: WorkspaceName) {
    this.#board = board;
    this.#project = project;
  }

  /** Gives the models one by one. */
  async load(signal: AbortSignal, { onModel, onProgress }: Listeners): Promise<void> {
    const board = this.#board;
    const wanted = board.parts.flatMap((part, place) => (part.models.length > 0 ? [{ part, place }] : []));
    const words = new Map<number, string>();
    const shown = new Set<number>();
    let triangles = 0;
    const tell = (isDone: boolean) =>
      onProgress({ named: wanted.length, shown: shown.size, isDone, words: new Map(words) });
    for (const { part, place } of wanted) {
      for (const model of part.models.slice(0, MAX_MODELS_OF_PART)) {
        try {
          const file = await this.#find(model.path);
          const isNew = !this.#read.has(file);
          const object = await this.#open(file);
          if (signal.aborted) return;
          const together = triangles + countTriangles(object);
          if (together > MAX_TRIANGLES_DRAWN) throw new ModelFault(TOO_MANY_TRIANGLES);
          triangles = together;
          onModel(place, placeModel(board, part, model, object.clone()));
          if (!shown.has(place)) words.set(place, file.words);
          shown.add(place);
          if (isNew) tell(false);
        } catch (error) {
          if (signal.aborted) return;
          if (!(error instanceof ModelFault)) throw error;
          if (!shown.has(place)) words.set(place, `A box. ${error.message}`);
        }
      }
    }
    tell(true);
  }

  close(): void {
    this.#leaving.abort();
    this.#steps.close();
    for (const opened of this.#read.values()) opened.then(disposeObject, () => {});
  }

  async #find(model: string): Promise<ModelFile> {
    const { signal } = this.#leaving;
    this.#ofProject ??= listProjectModels(this.#project, signal);
    const own = findModel(await this.#ofProject, model);
    if (own) return own;
    this.#ofPackages ??= listPackagedModels(signal);
    const packaged = findModel(await this.#ofPackages, model);
    if (packaged) return packaged;
    throw new ModelFault(NOT_FOUND);
  }

  #open(file: ModelFile): Promise<Object3D> {
    const known = this.#read.get(file);
    if (known) return known;
    if (this.#read.size >= MAX_MODELS)
      throw new ModelFault(`It is over the limit of ${MAX_MODELS} different models per board.`);
    const opened = this.#openNew(file);
    this.#read.set(file, opened);
    return opened;
  }

  async #openNew(file: ModelFile): Promise<Object3D> {
    const bytes = await file.read();
    if (extensionOf(file.path) !== "glb") return objectOf(await this.#steps.read(bytes, this.#leaving.signal));
    const source = { kind: "glb", bytes, project: this.#project, path: file.projectPath } as const;
    return (await loadModel(source)).object;
  }
}

function objectOf({ positions, normals, colours, corners }: StepMesh): Object3D {
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new BufferAttribute(positions, 3));
  geometry.setAttribute("color", new BufferAttribute(colours, 3));
  geometry.setIndex(new BufferAttribute(corners, 1));
  if (normals) geometry.setAttribute("normal", new BufferAttribute(normals, 3));
  else geometry.computeVertexNormals();
  return new Mesh(geometry, new MeshLambertMaterial({ vertexColors: true }));
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
