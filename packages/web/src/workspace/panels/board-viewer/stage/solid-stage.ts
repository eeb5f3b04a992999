import type { Side } from "@backplane/kicad/board";
import type { Point } from "@backplane/kicad/schematic";
import {
  Box3,
  BufferGeometry,
  DoubleSide,
  Group,
  Line,
  LinearFilter,
  LinearMipmapLinearFilter,
  LineBasicMaterial,
  Mesh,
  MeshLambertMaterial,
  type Object3D,
  Raycaster,
  SRGBColorSpace,
  Texture,
  Vector2,
  Vector3,
} from "three";
import { readPalette } from "../../../parts/plot/palette.ts";
import { onThemeChange } from "../../../parts/theme.ts";
import { type Direction, OrbitView } from "../../viewer-3d/orbit-view.ts";
import { disposeObject } from "../../viewer-3d/scenery.ts";
import type { BoardSummary } from "../worker/messages.ts";
import { PartBoxes, PICKED } from "./part-boxes.ts";
import { buildPlate, toScene } from "./plate.ts";
import { ARROWS, type BoardStage, CLICK_PX, isInView, type Marks, NEAR_PX, type StageEvents } from "./stage.ts";

const LOOKS: Readonly<Record<Side, Direction>> = { front: [0, -0.75, 0.95], back: [0, -0.75, -0.95] };
const TOP: Readonly<Record<Side, Direction>> = { front: [0, -0.0001, 1], back: [0, -0.0001, -1] };
const SIDES = ["front", "back"] as const;
/** A flat thing fills the sphere around it badly: it is brought nearer than the whole sphere would need. */
const FIT_SHARE = 0.95;
const WALL = "#a8946a";

/** Names of renderers that draw on the processor. */
const SOFTWARE = /swiftshader|llvmpipe|softpipe|software|basic render/i;

/** Whether pictures are drawn without a graphics card. */
function isSoftware(): boolean {
  const probe = document.createElement("canvas").getContext("webgl");
  if (!probe) return false;
  const name = String(
    probe.getParameter(probe.getExtension("WEBGL_debug_renderer_info")?.UNMASKED_RENDERER_WEBGL ?? probe.RENDERER),
  );
  probe.getExtension("WEBGL_lose_context")?.loseContext();
  return SOFTWARE.test(name);
}

/** The board in three dimensions: a plate with the pictures of its sides, and its parts. */
export class SolidStage implements BoardStage {
  readonly #host: HTMLElement;
  readonly #board: BoardSummary;
  readonly #events: StageEvents;
  readonly #isCheap = isSoftware();
  readonly #view: OrbitView;
  readonly #faces: Readonly<Record<Side, Mesh<BufferGeometry, MeshLambertMaterial>>>;
  readonly #parts: Readonly<Record<Side, PartBoxes>>;
  readonly #models: Readonly<Record<Side, Group>> = { front: new Group(), back: new Group() };
  readonly #measure = new Line(new BufferGeometry(), new LineBasicMaterial({ color: 0xffffff, depthTest: false }));
  readonly #box: Box3;
  readonly #stopTheme: () => void;
  readonly #leaving = new AbortController();
  #side: Side = "front";
  #picked = -1;

  /** Throws where there is no WebGL. */
  constructor(host: HTMLElement, board: BoardSummary, events: StageEvents, onContextLost: () => void) {
    this.#host = host;
    this.#board = board;
    this.#events = events;
    this.#view = new OrbitView(host, {
      ...{ isCheap: this.#isCheap, onContextLost, onContextRestored: () => this.#view.draw() },
      onDrawn: () => events.onMoved(),
    });
    const plate = buildPlate(board.outline, board.holes, board.thicknessMm);
    const walls = new Mesh(plate.walls, new MeshLambertMaterial({ color: WALL, side: DoubleSide }));
    const face = (side: Side) => new Mesh(plate[side], new MeshLambertMaterial({ color: 0x252b31, side: DoubleSide }));
    this.#faces = { front: face("front"), back: face("back") };
    this.#parts = { front: new PartBoxes(board, "front"), back: new PartBoxes(board, "back") };
    this.#measure.visible = false;
    this.#measure.renderOrder = 1;
    this.#view.scene.add(walls, this.#measure);
    for (const side of SIDES) this.#view.scene.add(this.#faces[side], this.#parts[side].mesh, this.#models[side]);
    const { left, top, right, bottom } = board.outline.box;
    const half = new Vector3(right - left, bottom - top, board.thicknessMm).multiplyScalar(FIT_SHARE / 2);
    this.#box = new Box3(half.clone().negate(), half);
    this.#stopTheme = onThemeChange(() => this.#paint());
    this.#listen();
    this.#paint();
    this.#view.fit(this.#box, LOOKS.front);
  }

  /** The picture of one side; it belongs to the stage from now on. */
  setPicture(side: Side, bitmap: ImageBitmap): void {
    const { material } = this.#faces[side];
    const texture = new Texture(bitmap);
    texture.colorSpace = SRGBColorSpace;
    texture.flipY = false;
    texture.generateMipmaps = !this.#isCheap;
    texture.minFilter = this.#isCheap ? LinearFilter : LinearMipmapLinearFilter;
    texture.anisotropy = this.#isCheap ? 1 : 4;
    texture.needsUpdate = true;
    this.#forgetPicture(side);
    material.map = texture;
    material.color.set(0xffffff);
    material.needsUpdate = true;
    this.#host.dataset.painted = String(Number(this.#host.dataset.painted ?? 0) + 1);
    this.#view.draw();
  }

  showParts(side: Side, isShown: boolean): void {
    this.#parts[side].mesh.visible = isShown;
    this.#models[side].visible = isShown;
    this.#view.draw();
  }

  /** A model in place of the box of a part. */
  addModel(place: number, object: Object3D): void {
    const side = this.#board.parts[place]?.side ?? "front";
    this.#parts[side].setBody(place, false);
    object.userData.place = place;
    this.#models[side].add(object);
    if (place === this.#picked) shine(object, true);
    this.#view.draw();
  }

  setSide(side: Side): void {
    if (this.#side === side) return;
    this.#side = side;
    this.#view.fit(this.#box, LOOKS[side]);
  }

  setMarks({ part, measured }: Marks): void {
    for (const side of SIDES) {
      this.#parts[side].pick(part);
      for (const model of this.#models[side].children) shine(model, model.userData.place === part);
    }
    this.#picked = part;
    const { from, to } = measured ?? {};
    this.#measure.visible = from !== undefined && to !== undefined;
    if (from && to) {
      const z = (this.#board.thicknessMm / 2 + 0.05) * (this.#side === "front" ? 1 : -1);
      this.#measure.geometry.dispose();
      this.#measure.geometry = new BufferGeometry().setFromPoints([from, to].map((at) => this.#toScene(at, z)));
    }
    this.#view.draw();
  }

  zoom(steps: number): void {
    this.#view.zoom(2 * steps);
  }

  fit(): void {
    this.#view.fit(this.#box, undefined);
  }

  reveal(at: Point): void {
    const { clientWidth: width, clientHeight: height } = this.#host;
    const pixel = this.pixelOf(at, 0, this.#side);
    if (!isInView(pixel, { width, height })) this.#view.centre(this.#toScene(at, 0));
  }

  pixelOf(at: Point, heightMm: number, side: Side): Point | undefined {
    const { camera } = this.#view;
    const isFront = side === "front";
    const point = this.#toScene(at, (this.#board.thicknessMm / 2 + heightMm) * (isFront ? 1 : -1));
    if (camera.position.z > 0 !== isFront) return undefined;
    const { x, y, z } = point.project(camera);
    if (z > 1) return undefined;
    const { clientWidth, clientHeight } = this.#host;
    return { x: ((x + 1) / 2) * clientWidth, y: ((1 - y) / 2) * clientHeight };
  }

  press(key: string, isShifted: boolean): boolean {
    const arrow = ARROWS[key];
    if (arrow && isShifted) this.#view.shift(...arrow);
    else if (arrow) this.#view.turn(...arrow);
    else if (key === "t") this.#view.fit(this.#box, TOP[this.#side]);
    else return false;
    return true;
  }

  picture(): Promise<Blob | null> {
    this.#view.drawNow();
    return new Promise((resolve) => this.#view.canvas.toBlob(resolve, "image/png"));
  }

  dispose(): void {
    this.#leaving.abort();
    this.#stopTheme();
    for (const side of SIDES) {
      this.#forgetPicture(side);
      // Models belong to their loader, which gives them to the next stage.
      this.#view.scene.remove(this.#models[side]);
    }
    disposeObject(this.#view.scene);
    this.#view.dispose();
  }

  #toScene(at: Point, z: number): Vector3 {
    const { x, y } = toScene(this.#board.outline, at);
    return new Vector3(x, y, z);
  }

  #forgetPicture(side: Side): void {
    const { material } = this.#faces[side];
    const image: unknown = material.map?.source.data;
    material.map?.dispose();
    material.map = null;
    if (image instanceof ImageBitmap) image.close();
  }

  #paint(): void {
    this.#view.setBackground(readPalette(this.#host).colour("sunken"));
    this.#view.draw();
  }

  #listen(): void {
    const { signal } = this.#leaving;
    let from: Point | undefined;
    this.#view.canvas.addEventListener("pointerdown", ({ clientX: x, clientY: y }) => (from = { x, y }), { signal });
    this.#view.canvas.addEventListener(
      "pointerup",
      ({ clientX, clientY }) => {
        const isClick = from && Math.hypot(clientX - from.x, clientY - from.y) < CLICK_PX;
        if (isClick) this.#hit(clientX, clientY);
      },
      { signal },
    );
  }

  #hit(clientX: number, clientY: number): void {
    this.#host.focus();
    const { left, top, width, height } = this.#host.getBoundingClientRect();
    const ray = new Raycaster();
    const at = new Vector2(((clientX - left) / width) * 2 - 1, 1 - ((clientY - top) / height) * 2);
    ray.setFromCamera(at, this.#view.camera);
    const isFront = this.#view.camera.position.z > 0;
    const side = isFront ? "front" : "back";
    const boxes = this.#parts[side];
    const bodies = [boxes.mesh, this.#faces[side], this.#models[side]];
    const [nearest] = ray.intersectObjects(bodies.filter((each) => each.visible));
    if (!nearest) return;
    const { box } = this.#board.outline;
    const place = { x: nearest.point.x + (box.left + box.right) / 2, y: (box.top + box.bottom) / 2 - nearest.point.y };
    const mmPerPx = (nearest.distance * Math.tan((this.#view.camera.fov * Math.PI) / 360) * 2) / height;
    const part =
      nearest.object === boxes.mesh ? (boxes.parts[nearest.instanceId ?? -1] ?? -1) : placeOf(nearest.object);
    this.#events.onPress(place, NEAR_PX * mmPerPx, part);
  }
}

/** The part whose model has this object in it; -1: none. */
function placeOf(object: Object3D): number {
  for (let each: Object3D | null = object; each; each = each.parent)
    if (typeof each.userData.place === "number") return each.userData.place;
  return -1;
}

/** Lets a model that was picked shine. Its material is shared with other parts, so it gets one of its own meanwhile. */
function shine(model: Object3D, isPicked: boolean): void {
  model.traverse((mesh) => {
    if (!(mesh instanceof Mesh) || Array.isArray(mesh.material)) return;
    const { plain = mesh.material } = mesh.userData;
    if (isPicked === (mesh.material !== plain)) return;
    if (!isPicked) mesh.material.dispose();
    mesh.material = isPicked ? plain.clone() : plain;
    mesh.userData.plain = plain;
    if (isPicked) mesh.material.emissive?.set(PICKED).multiplyScalar(0.7);
  });
}
