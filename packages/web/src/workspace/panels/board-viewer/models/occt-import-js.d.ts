/** OpenCASCADE in WebAssembly, as far as it is used here. */
declare module "occt-import-js" {
  type Colour = [red: number, green: number, blue: number];

  /** One solid. Faces do not share corners. */
  export type OcctMesh = {
    attributes: { position: { array: number[] }; normal?: { array: number[] } };
    index: { array: number[] };
    /** Linear, not sRGB; so are those of faces. */
    color?: Colour;
    /** Triangles from `first` to `last`. */
    brep_faces: { first: number; last: number; color: Colour | null }[];
  };

  export type OcctResult = { success: false } | { success: true; meshes: OcctMesh[] };

  export type OcctParameters = {
    linearUnit: "millimeter";
    linearDeflectionType: "bounding_box_ratio";
    linearDeflection: number;
    angularDeflection: number;
  };

  export type Occt = { ReadStepFile(content: Uint8Array, parameters: OcctParameters): OcctResult };

  export default function open(options: { wasmBinary: ArrayBuffer; print(): void; printErr(): void }): Promise<Occt>;
}
