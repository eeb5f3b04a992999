import type { Label, Line, PlacedPin, PlacedSymbol, SheetInstance, SheetPin } from "../schematic/index.ts";

export interface NetPin {
  readonly sheet: SheetInstance;
  readonly symbol: PlacedSymbol;
  readonly pin: PlacedPin;
  readonly reference: string;
}

export interface BusMemberName {
  readonly sheet: SheetInstance;
  readonly name: string;
  readonly scope: "local" | "global";
}

/** Everything that is connected, over all sheets. */
export interface Net {
  /** As KiCad names it. Empty when only wires are in it. */
  readonly name: string;
  readonly pins: readonly NetPin[];
  readonly labels: readonly { readonly sheet: SheetInstance; readonly label: Label }[];
  /** Names that it has as a member of buses. */
  readonly members: readonly BusMemberName[];
  readonly sheetPins: readonly { readonly sheet: SheetInstance; readonly pin: SheetPin }[];
  readonly wires: readonly { readonly sheet: SheetInstance; readonly wire: Line }[];
  /** Net classes that directive labels give it. */
  readonly classes: readonly string[];
}
