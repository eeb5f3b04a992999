import {
  AmbientLight,
  type Box3,
  DirectionalLight,
  PerspectiveCamera,
  Scene,
  Sphere,
  Vector3,
  WebGLRenderer,
} from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { distanceFor, VIEWS } from "./measures.ts";

const FIELD_OF_VIEW = 40;
const TURN_STEP = Math.PI / 24;
const ZOOM_STEP = 1.15;
const MAX_PIXEL_RATIO = 2;
/** After the last turn, a cheap view is drawn sharp again. */
const SHARP_AFTER_MS = 250;

export type Direction = readonly [x: number, y: number, z: number];

type Options = {
  /** Without a graphics card: no smooth edges, and half the size while it moves. */
  isCheap?: boolean;
  onContextLost: () => void;
  onContextRestored: () => void;
  /** After each picture. */
  onDrawn?: () => void;
};

/** A scene that people turn, shift and zoom. It draws only when something changed. */
export class OrbitView {
  readonly scene = new Scene();
  readonly camera = new PerspectiveCamera(FIELD_OF_VIEW, 1, 0.1, 10_000);
  readonly canvas: HTMLCanvasElement;
  readonly #host: HTMLElement;
  readonly #options: Options;
  readonly #renderer: WebGLRenderer;
  readonly #controls: OrbitControls;
  readonly #size = new ResizeObserver(() => this.#resize());
  readonly #onContextLost: (event: Event) => void;
  #drawing = 0;
  #sharp: ReturnType<typeof setTimeout> | undefined;

  /** Throws where there is no WebGL. */
  constructor(host: HTMLElement, options: Options) {
    this.#host = host;
    this.#options = options;
    // The buffer is kept after drawing: a screenshot of the page would otherwise show an empty canvas.
    this.#renderer = new WebGLRenderer({ antialias: !options.isCheap, preserveDrawingBuffer: true });
    this.#renderer.setPixelRatio(this.#ratio());
    this.canvas = this.#renderer.domElement;
    this.canvas.setAttribute("aria-hidden", "true");
    host.append(this.canvas);

    this.camera.up.set(0, 0, 1);
    const sun = new DirectionalLight(0xffffff, 3);
    sun.position.set(0.4, 0.6, 1);
    this.camera.add(sun);
    this.scene.add(new AmbientLight(0xffffff, 1.6), this.camera);
    this.#controls = new OrbitControls(this.camera, this.canvas);
    this.#controls.addEventListener("change", () => {
      this.#coarsen();
      this.draw();
    });

    this.#onContextLost = (event) => {
      event.preventDefault();
      options.onContextLost();
    };
    this.canvas.addEventListener("webglcontextlost", this.#onContextLost);
    this.canvas.addEventListener("webglcontextrestored", options.onContextRestored);
    this.#size.observe(host);
    this.#resize();
  }

  setBackground(colour: string): void {
    this.#renderer.setClearColor(colour);
  }

  turn(sideways: number, upwards: number): void {
    const { camera, target } = this.#pose();
    const offset = camera.position.clone().sub(target);
    offset.applyAxisAngle(camera.up, sideways * TURN_STEP);
    const right = new Vector3().crossVectors(camera.up, offset).normalize();
    const tilted = offset.clone().applyAxisAngle(right, -upwards * TURN_STEP);
    // Not over the pole: left and right would swap there.
    const isSafe = tilted.angleTo(camera.up) > 0.02 && tilted.angleTo(camera.up) < Math.PI - 0.02;
    camera.position.copy(target).add(isSafe ? tilted : offset);
    this.#moved();
  }

  shift(sideways: number, upwards: number): void {
    const { camera, target } = this.#pose();
    const distance = camera.position.distanceTo(target) / 16;
    const right = new Vector3().setFromMatrixColumn(camera.matrix, 0).multiplyScalar(sideways * distance);
    const up = new Vector3().setFromMatrixColumn(camera.matrix, 1).multiplyScalar(upwards * distance);
    for (const point of [camera.position, target]) point.add(right).add(up);
    this.#moved();
  }

  zoom(steps: number): void {
    const { camera, target } = this.#pose();
    const offset = camera.position
      .clone()
      .sub(target)
      .multiplyScalar(ZOOM_STEP ** -steps);
    offset.clampLength(this.#controls.minDistance, this.#controls.maxDistance);
    camera.position.copy(target).add(offset);
    this.#moved();
  }

  /** Moves so that a point is in the middle. */
  centre(point: Vector3): void {
    const { camera, target } = this.#pose();
    camera.position.add(point).sub(target);
    target.copy(point);
    this.#moved();
  }

  /** Fits a box into the view, from a direction or from the current one. */
  fit(box: Box3, from: Direction | undefined): void {
    const { camera, target } = this.#pose();
    const sphere = box.getBoundingSphere(new Sphere());
    const radius = Math.max(sphere.radius, 1e-6);
    const direction = from ? new Vector3(...from) : camera.position.clone().sub(target);
    if (direction.lengthSq() === 0) direction.set(...VIEWS.iso);
    const distance = distanceFor(radius, FIELD_OF_VIEW, camera.aspect);
    camera.near = distance / 1_000;
    camera.far = distance * 100;
    camera.updateProjectionMatrix();
    target.copy(sphere.center);
    this.#controls.minDistance = radius / 50;
    this.#controls.maxDistance = distance * 20;
    camera.position.copy(sphere.center).addScaledVector(direction.normalize(), distance);
    this.#moved();
  }

  draw(): void {
    if (this.#drawing !== 0) return;
    this.#drawing = requestAnimationFrame(() => {
      this.#drawing = 0;
      this.drawNow();
    });
  }

  drawNow(): void {
    this.#renderer.render(this.scene, this.camera);
    this.#options.onDrawn?.();
  }

  dispose(): void {
    cancelAnimationFrame(this.#drawing);
    clearTimeout(this.#sharp);
    this.#size.disconnect();
    this.#controls.dispose();
    this.canvas.removeEventListener("webglcontextlost", this.#onContextLost);
    this.#renderer.dispose();
    this.#renderer.forceContextLoss();
    this.canvas.remove();
  }

  #pose() {
    return { camera: this.camera, target: this.#controls.target };
  }

  #moved(): void {
    this.#controls.update();
    this.draw();
  }

  #ratio = (): number => Math.min(devicePixelRatio, this.#options.isCheap ? 1 : MAX_PIXEL_RATIO);

  #coarsen(): void {
    if (!this.#options.isCheap) return;
    if (this.#sharp === undefined) this.#renderer.setPixelRatio(this.#ratio() / 2);
    clearTimeout(this.#sharp);
    this.#sharp = setTimeout(() => {
      this.#sharp = undefined;
      this.#renderer.setPixelRatio(this.#ratio());
      this.draw();
    }, SHARP_AFTER_MS);
  }

  #resize(): void {
    const { clientWidth, clientHeight } = this.#host;
    if (clientWidth === 0 || clientHeight === 0) return;
    this.camera.aspect = clientWidth / clientHeight;
    this.camera.updateProjectionMatrix();
    this.#renderer.setSize(clientWidth, clientHeight);
    this.draw();
  }
}
