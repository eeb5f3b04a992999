import { type Material, type Object3D, Texture } from "three";

type Drawn = { geometry?: { dispose(): void }; material?: Material | Material[] };

/** Gives back what a model holds on the graphics card. */
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
