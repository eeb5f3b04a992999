import { Box3, type Color, type Group, type Material, Mesh, Vector3 } from "three";
import { onThemeChange } from "../../parts/theme.ts";
import type { Model } from "./load-model.ts";
import { VIEWS, type ViewName } from "./measures.ts";
import { type Direction, OrbitView } from "./orbit-view.ts";
import { createGround, disposeObject, readColours } from "./scenery.ts";

/** A model on its ground. */
export class Stage {
  readonly #host: HTMLElement;
  readonly #view: OrbitView;
  readonly #stopTheme: () => void;
  #model: Model | undefined;
  #ground: { object: Group; stepMm: number } | undefined;
  #isWireframe = false;

  /** Throws where there is no WebGL. */
  constructor(host: HTMLElement, onContextLost: () => void) {
    this.#host = host;
    this.#view = new OrbitView(host, { onContextLost, onContextRestored: () => this.#paint() });
    this.#stopTheme = onThemeChange(() => this.#paint());
    this.#paint();
    this.#lookFrom(VIEWS.iso);
  }

  /** Shows another model. Returns the size of the grid squares in millimetres. */
  show(model: Model | undefined): number | undefined {
    if (this.#model) {
      this.#view.scene.remove(this.#model.object);
      disposeObject(this.#model.object);
    }
    this.#model = model;
    if (model) this.#view.scene.add(model.object);
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
    this.#view.turn(sideways, upwards);
  }

  shift(sideways: number, upwards: number): void {
    this.#view.shift(sideways, upwards);
  }

  zoom(steps: number): void {
    this.#view.zoom(steps);
  }

  dispose(): void {
    this.#stopTheme();
    for (const part of [this.#model?.object, this.#ground?.object]) if (part) disposeObject(part);
    this.#view.dispose();
  }

  /** Takes the colours of the page's theme. */
  #paint(): void {
    const colours = readColours(this.#host);
    this.#view.setBackground(colours.background);
    if (this.#ground) {
      this.#view.scene.remove(this.#ground.object);
      disposeObject(this.#ground.object);
    }
    this.#ground = this.#model && createGround(this.#model.box, colours);
    if (this.#ground) this.#view.scene.add(this.#ground.object);
    this.#model?.object.traverse((part) => {
      if (!(part instanceof Mesh)) return;
      for (const material of [part.material].flat() as (Material & { wireframe?: boolean; color?: Color })[]) {
        if (material.wireframe !== undefined) material.wireframe = this.#isWireframe;
        // A model without colours of its own takes one of the page's.
        if (material.userData.isPlain) material.color?.set(colours.model);
      }
    });
    this.#view.draw();
  }

  #lookFrom(from: Direction | undefined): void {
    this.#view.fit(this.#model?.box ?? new Box3(new Vector3(-50, -50, 0), new Vector3(50, 50, 50)), from);
  }
}
