import { boxOf, joined } from "./boxes.ts";
import type { Box, Primitive } from "./primitives.ts";

/** One item of a sheet as it is drawn. */
export type Drawn = {
  /** The same as long as the item is in the file. */
  id: string;
  /** Everything that is drawn. */
  box: Box;
  /** Without the texts of its fields. */
  body: Box;
  /** A place inside its body is a place on it. */
  isSolid: boolean;
  /** The frame of the sheet cannot be selected. */
  canSelect: boolean;
  primitives: readonly Primitive[];
};

type Parts = { body: readonly Primitive[]; fields?: readonly Primitive[]; isSolid?: boolean; canSelect?: boolean };

export function drawn(id: string, { body, fields = [], isSolid = false, canSelect = true }: Parts): Drawn {
  const primitives = [...body, ...fields];
  const bodyBox = joined((body.length > 0 ? body : fields).map(boxOf));
  return { id, box: joined([bodyBox, ...fields.map(boxOf)]), body: bodyBox, isSolid, canSelect, primitives };
}
