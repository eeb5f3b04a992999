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
import type { Model } from "./load-model.ts";
import { distanceFor, VIEWS, type ViewName } from "./measures.ts";
import { createFurniture, disposeObject, onThemeChange, readColours } from "./scenery.ts";

const FIELD_OF_VIEW = 40;
const TURN_STEP = Math.PI / 24;
const ZOOM_STEP = 1.15;
const MAX_PIXEL_RATIO = 2;

export type Stage = ReturnType<typeof createStage>;

/** Where a model is looked at. It draws when something changed, and never else. Throws where there is no WebGL. */
export function createStage(host: HTMLElement, onContextLost: () => void) {
  // Kept after drawing, so that whoever takes a picture of the page later gets more than an empty canvas.
  const renderer = new WebGLRenderer({ antialias: true, preserveDrawingBuffer: true });
  renderer.setPixelRatio(Math.min(devicePixelRatio, MAX_PIXEL_RATIO));
  const canvas = renderer.domElement;
  canvas.setAttribute("aria-hidden", "true");
  host.append(canvas);

  const scene = new Scene();
  const camera = new PerspectiveCamera(FIELD_OF_VIEW, 1, 0.1, 10_000);
  camera.up.set(0, 0, 1);
  const sun = new DirectionalLight(0xffffff, 3);
  sun.position.set(0.4, 0.6, 1);
  camera.add(sun);
  scene.add(new AmbientLight(0xffffff, 1.6), camera);
  const controls = new OrbitControls(camera, canvas);
  let model: Model | undefined;
  let furniture: { object: Group; stepMm: number } | undefined;
  let isWireframe = false;
  let drawing = 0;

  const draw = (): void => {
    if (drawing !== 0) return;
    drawing = requestAnimationFrame(() => {
      drawing = 0;
      renderer.render(scene, camera);
    });
  };

  function resize(): void {
    const { clientWidth, clientHeight } = host;
    if (clientWidth === 0 || clientHeight === 0) return;
    camera.aspect = clientWidth / clientHeight;
    camera.updateProjectionMatrix();
    renderer.setSize(clientWidth, clientHeight);
    draw();
  }

  function paint(): void {
    const colours = readColours(host);
    renderer.setClearColor(colours.ground);
    if (furniture) {
      scene.remove(furniture.object);
      disposeObject(furniture.object);
      furniture = undefined;
    }
    if (model) {
      furniture = createFurniture(model.box, colours);
      scene.add(furniture.object);
    }
    model?.object.traverse((part) => {
      if (!(part instanceof Mesh)) return;
      for (const material of [part.material].flat() as (Material & { wireframe?: boolean; color?: Color })[]) {
        if (material.wireframe !== undefined) material.wireframe = isWireframe;
        // A model without colours of its own takes one of the page's.
        if (material.userData.isPlain) material.color?.set(colours.model);
      }
    });
    draw();
  }

  function look(from: readonly [number, number, number] | undefined): void {
    const sphere = (model?.box ?? new Box3(new Vector3(-50, -50, 0), new Vector3(50, 50, 50))).getBoundingSphere(
      new Sphere(),
    );
    const radius = Math.max(sphere.radius, 1e-6);
    const direction = from ? new Vector3(...from) : camera.position.clone().sub(controls.target);
    if (direction.lengthSq() === 0) direction.set(...VIEWS.iso);
    const distance = distanceFor(radius, FIELD_OF_VIEW, camera.aspect);
    camera.near = distance / 1_000;
    camera.far = distance * 100;
    camera.updateProjectionMatrix();
    controls.target.copy(sphere.center);
    controls.minDistance = radius / 50;
    controls.maxDistance = distance * 20;
    camera.position.copy(sphere.center).addScaledVector(direction.normalize(), distance);
    controls.update();
    draw();
  }

  function turn(sideways: number, upwards: number): void {
    const offset = camera.position.clone().sub(controls.target);
    offset.applyAxisAngle(camera.up, sideways * TURN_STEP);
    const right = new Vector3().crossVectors(camera.up, offset).normalize();
    const tilted = offset.clone().applyAxisAngle(right, -upwards * TURN_STEP);
    // Not over the pole: there, left and right would change places.
    const isSafe = tilted.angleTo(camera.up) > 0.02 && tilted.angleTo(camera.up) < Math.PI - 0.02;
    camera.position.copy(controls.target).add(isSafe ? tilted : offset);
    controls.update();
    draw();
  }

  function shift(sideways: number, upwards: number): void {
    const distance = camera.position.distanceTo(controls.target) / 16;
    const right = new Vector3().setFromMatrixColumn(camera.matrix, 0).multiplyScalar(sideways * distance);
    const up = new Vector3().setFromMatrixColumn(camera.matrix, 1).multiplyScalar(upwards * distance);
    for (const point of [camera.position, controls.target]) point.add(right).add(up);
    controls.update();
    draw();
  }

  const size = new ResizeObserver(resize);
  const endTheme = onThemeChange(paint);
  const lost = (event: Event) => {
    event.preventDefault();
    onContextLost();
  };
  controls.addEventListener("change", draw);
  canvas.addEventListener("webglcontextlost", lost);
  canvas.addEventListener("webglcontextrestored", paint);
  size.observe(host);
  resize();
  paint();
  look(VIEWS.iso);

  return {
    show(next: Model | undefined): number | undefined {
      if (model) {
        scene.remove(model.object);
        disposeObject(model.object);
      }
      model = next;
      if (next) scene.add(next.object);
      paint();
      look(VIEWS.iso);
      return furniture?.stepMm;
    },
    setWireframe(next: boolean): void {
      isWireframe = next;
      paint();
    },
    /** From where it is looked at now, so that all of it is in sight; or from one of the usual places. */
    look: (name?: ViewName): void => look(name && VIEWS[name]),
    turn,
    shift,
    zoom(steps: number): void {
      const offset = camera.position
        .clone()
        .sub(controls.target)
        .multiplyScalar(ZOOM_STEP ** -steps);
      offset.clampLength(controls.minDistance, controls.maxDistance);
      camera.position.copy(controls.target).add(offset);
      controls.update();
      draw();
    },
    dispose(): void {
      cancelAnimationFrame(drawing);
      size.disconnect();
      endTheme();
      controls.dispose();
      canvas.removeEventListener("webglcontextlost", lost);
      for (const part of [model?.object, furniture?.object]) if (part) disposeObject(part);
      renderer.dispose();
      renderer.forceContextLoss();
      canvas.remove();
    },
  };
}
