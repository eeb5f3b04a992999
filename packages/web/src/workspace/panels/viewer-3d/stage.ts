import {
  AmbientLight,
  Box3,
  type Color,
  DirectionalLight,
  type Group,
  type Material,
  Mesh,
  PerspectiveCamera,
  Scene,
  Sphere,
  Vector3,
  WebGLRenderer,
} from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { onThemeChange } from "../../parts/theme.ts";
import type { Model } from "./load-model.ts";
import { distanceFor, VIEWS, type ViewName } from "./measures.ts";
import { createGround, disposeObject, readColours } from "./scenery.ts";

const FIELD_OF_VIEW = 40;
const TURN_STEP = Math.PI / 24;
const ZOOM_STEP = 1.15;
const MAX_PIXEL_RATIO = 2;

type Direction = readonly [x: number, y: number, z: number];

/** The scene, camera and controls in which a model is viewed. It draws only when something changed. */
export class Stage {
  readonly #host: HTMLElement;
  readonly #renderer: WebGLRenderer;
  readonly #scene = new Scene();
  readonly #camera = new PerspectiveCamera(FIELD_OF_VIEW, 1, 0.1, 10_000);
  readonly #controls: OrbitControls;
  readonly #size = new ResizeObserver(() => this.#resize());
  readonly #stopTheme: () => void;
  readonly #onContextLost: (event: Event) => void;
  #model: Model | undefined;
  #ground: { object: Group; stepMm: number } | undefined;
  #isWireframe = false;
  #drawing = 0;

  /** Throws where there is no WebGL. */
  constructor(host: HTMLElement, onContextLost: () => void) {
    this.#host = host;
    // The buffer is kept after drawing: a screenshot of the page would otherwise show an empty canvas.
    this.#renderer = new WebGLRenderer({ antialias: true, preserveDrawingBuffer: true });
    this.#renderer.setPixelRatio(Math.min(devicePixelRatio, MAX_PIXEL_RATIO));
    const canvas = this.#renderer.domElement;
    canvas.setAttribute("aria-hidden", "true");
    host.append(canvas);

    this.#camera.up.set(0, 0, 1);
    const sun = new DirectionalLight(0xffffff, 3);
    sun.position.set(0.4, 0.6, 1);
    this.#camera.add(sun);
    this.#scene.add(new AmbientLight(0xffffff, 1.6), this.#camera);
    this.#controls = new OrbitControls(this.#camera, canvas);
    this.#controls.addEventListener("change", () => this.#draw());

    this.#onContextLost = (event) => {
      event.preventDefault();
      onContextLost();
    };
    canvas.addEventListener("webglcontextlost", this.#onContextLost);
    canvas.addEventListener("webglcontextrestored", () => this.#paint());
    this.#stopTheme = onThemeChange(() => this.#paint());
    this.#size.observe(host);
    this.#resize();
    this.#paint();
    this.#lookFrom(VIEWS.iso);
  }

  /** Shows another model. Returns the size of the grid squares in millimetres. */
  show(model: Model | undefined): number | undefined {
    if (this.#model) {
      this.#scene.remove(this.#model.object);
      disposeObject(this.#model.object);
    }
    this.#model = model;
    if (model) this.#scene.add(model.object);
    this.#paint();
    this.#lookFrom(VIEWS.iso);
    return this.#ground?.stepMm;
  }

  setWireframe(isWireframe: boolean): void {
    this.#isWireframe = isWireframe;
    this.#paint();
  }

  /** Fits the whole model into the view, from the current direction or from one of the usual views. */
  look(name?: ViewName): void {
    this.#lookFrom(name && VIEWS[name]);
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

  dispose(): void {
    cancelAnimationFrame(this.#drawing);
    this.#size.disconnect();
    this.#stopTheme();
    this.#controls.dispose();
    const canvas = this.#renderer.domElement;
    canvas.removeEventListener("webglcontextlost", this.#onContextLost);
    for (const part of [this.#model?.object, this.#ground?.object]) if (part) disposeObject(part);
    this.#renderer.dispose();
    this.#renderer.forceContextLoss();
    canvas.remove();
  }

  #pose() {
    return { camera: this.#camera, target: this.#controls.target };
  }

  #moved(): void {
    this.#controls.update();
    this.#draw();
  }

  #draw(): void {
    if (this.#drawing !== 0) return;
    this.#drawing = requestAnimationFrame(() => {
      this.#drawing = 0;
      this.#renderer.render(this.#scene, this.#camera);
    });
  }

  #resize(): void {
    const { clientWidth, clientHeight } = this.#host;
    if (clientWidth === 0 || clientHeight === 0) return;
    this.#camera.aspect = clientWidth / clientHeight;
    this.#camera.updateProjectionMatrix();
    this.#renderer.setSize(clientWidth, clientHeight);
    this.#draw();
  }

  /** Takes the colours of the page's theme. */
  #paint(): void {
    const colours = readColours(this.#host);
    this.#renderer.setClearColor(colours.background);
    if (this.#ground) {
      this.#scene.remove(this.#ground.object);
      disposeObject(this.#ground.object);
    }
    this.#ground = this.#model && createGround(this.#model.box, colours);
    if (this.#ground) this.#scene.add(this.#ground.object);
    this.#model?.object.traverse((part) => {
      if (!(part instanceof Mesh)) return;
      for (const material of [part.material].flat() as (Material & { wireframe?: boolean; color?: Color })[]) {
        if (material.wireframe !== undefined) material.wireframe = this.#isWireframe;
        // A model without colours of its own takes one of the page's.
        if (material.userData.isPlain) material.color?.set(colours.model);
      }
    });
    this.#draw();
  }

  #lookFrom(from: Direction | undefined): void {
    const { camera, target } = this.#pose();
    const box = this.#model?.box ?? new Box3(new Vector3(-50, -50, 0), new Vector3(50, 50, 50));
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
}
