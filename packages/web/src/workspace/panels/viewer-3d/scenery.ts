import {
  type Box3,
  BufferGeometry,
  CanvasTexture,
  Float32BufferAttribute,
  GridHelper,
  Group,
  LineBasicMaterial,
  LineSegments,
  type Material,
  type Object3D,
  Sprite,
  SpriteMaterial,
  SRGBColorSpace,
  Texture,
  Vector3,
} from "three";
import { gridFor } from "./measures.ts";

/** The grid under a model, and the axes: at the origin, or at the corner of the grid when the origin is far away. */
export function createGround(box: Box3, colours: ThemeColours): { object: Group; stepMm: number } {
  const size = box.getSize(new Vector3());
  const middle = box.getCenter(new Vector3());
  const { stepMm, squares } = gridFor(size);
  const object = new Group();
  const grid = new GridHelper(squares * stepMm, squares, colours.ink, colours.line);
  grid.rotation.x = Math.PI / 2;
  const snapped = (value: number): number => Math.round(value / stepMm) * stepMm;
  const [x, y] = [snapped(middle.x), snapped(middle.y)];
  grid.position.set(x, y, box.min.z);
  object.add(grid);

  const half = (squares * stepMm) / 2;
  const isNear = Math.abs(x) <= half && Math.abs(y) <= half && Math.abs(box.min.z) <= half;
  const origin = isNear ? new Vector3() : new Vector3(x - half, y - half, box.min.z);
  for (const [name, along] of AXES) {
    const end = origin.clone().addScaledVector(along, stepMm * 3);
    const geometry = new BufferGeometry().setAttribute("position", new Float32BufferAttribute([...origin, ...end], 3));
    const line = new LineSegments(
      geometry,
      new LineBasicMaterial({ color: colours[name], depthTest: false, transparent: true }),
    );
    line.renderOrder = 1;
    object.add(line, label(name.toUpperCase(), colours[name], end.addScaledVector(along, stepMm * 0.4)));
  }
  return { object, stepMm };
}

const AXES = [
  ["x", new Vector3(1, 0, 0)],
  ["y", new Vector3(0, 1, 0)],
  ["z", new Vector3(0, 0, 1)],
] as const;

const LETTER_PIXELS = 64;
/** About this share of the view's height: letters keep their size at any distance. */
const LETTER_SCALE = 0.035;

function label(letter: string, colour: string, at: Vector3): Sprite {
  const canvas = document.createElement("canvas");
  canvas.width = LETTER_PIXELS;
  canvas.height = LETTER_PIXELS;
  const ink = canvas.getContext("2d");
  if (ink) {
    ink.font = `600 ${LETTER_PIXELS * 0.75}px system-ui, sans-serif`;
    ink.textAlign = "center";
    ink.textBaseline = "middle";
    ink.fillStyle = colour;
    ink.fillText(letter, LETTER_PIXELS / 2, LETTER_PIXELS / 2);
  }
  const map = new CanvasTexture(canvas);
  map.colorSpace = SRGBColorSpace;
  const sprite = new Sprite(new SpriteMaterial({ map, transparent: true, depthTest: false, sizeAttenuation: false }));
  sprite.position.copy(at);
  sprite.scale.setScalar(LETTER_SCALE);
  sprite.renderOrder = 1;
  return sprite;
}

const NAMES = {
  background: "--surface",
  line: "--line",
  ink: "--muted",
  model: "--line-strong",
  x: "--danger",
  y: "--ok",
  z: "--trace-2",
} as const;

type ThemeColours = Record<keyof typeof NAMES, string>;

/** The computed colours of the tokens: the value of a token itself has both themes. */
export function readColours(element: HTMLElement): ThemeColours {
  const probe = document.createElement("span");
  element.append(probe);
  const colourOf = (name: string): string => {
    probe.style.color = `var(${name})`;
    return getComputedStyle(probe).color;
  };
  const colours = Object.fromEntries(Object.entries(NAMES).map(([key, name]) => [key, colourOf(name)]));
  probe.remove();
  return colours as ThemeColours;
}

type Drawn = { geometry?: { dispose(): void }; material?: Material | Material[] };

/** Frees the memory of a model on the graphics card. */
export function disposeObject(object: Object3D): void {
  object.traverse((part) => {
    const { geometry, material } = part as Drawn;
    geometry?.dispose();
    for (const one of [material ?? []].flat()) {
      for (const value of Object.values(one)) {
        if (!(value instanceof Texture)) continue;
        if (value.source.data instanceof ImageBitmap) value.source.data.close();
        value.dispose();
      }
      one.dispose();
    }
  });
}
