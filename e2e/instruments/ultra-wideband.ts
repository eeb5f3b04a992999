import { reading, type ToldInstrument } from "./instrument.ts";

const ANCHORS = [
  { id: "A1", x_m: 0, y_m: 0, z_m: 2 },
  { id: "B2", x_m: 10, y_m: 0, z_m: 2 },
  { id: "C3", x_m: 10, y_m: 8, z_m: 2 },
  { id: "D4", x_m: 0, y_m: 8, z_m: 2 },
  { id: "E5", x_m: 5, y_m: 8, z_m: 2 },
];
const between = ANCHORS.flatMap((a, i) =>
  ANCHORS.slice(i + 1).map((b) => ({ a: a.id, b: b.id, distance_m: Math.hypot(a.x_m - b.x_m, a.y_m - b.y_m) })),
);
/** Ranges from a place; one of them goes through a wall. */
const rangesAt = (x: number, y: number) =>
  ANCHORS.map(({ id, x_m, y_m, z_m }) => ({
    anchor: id,
    distance_m: Math.hypot(x - x_m, y - y_m, 0.4 - z_m) + (id === "D4" ? 0.374 : 0),
    rssi_dbm: id === "D4" ? -94 : -80,
  }));

export const ultraWideband: ToldInstrument = {
  panel: "ultra-wideband",
  simulator: "ultra-wideband",
  samples: [
    { x_m: 3.3, y_m: 2.4, z_m: 0.4, quality: 60, ranges: rangesAt(3, 2), anchors: ANCHORS, anchor_ranges: between },
  ],
  async shows({ slot }) {
    await reading(slot, "x").getByText("3.00m").waitFor();
    await reading(slot, "y").getByText("2.00m").waitFor();
    await reading(slot, "Gateway differs").getByText("0.50m").waitFor();
    await slot.locator("tr[data-anchor=D4]", { hasText: "+374 mm" }).waitFor();
    await slot.getByText("D4 is blocked").waitFor();
    await slot.getByText("4 of 5 anchors used").waitFor();
  },
  more: {
    async "anchors are surveyed, and the error map is shown"({ slot }) {
      await slot.getByRole("button", { name: "Survey anchors", exact: true }).press("Enter");
      await slot.getByText(/all are where they are written down, within 0 mm/).waitFor();
      await slot.getByRole("button", { name: "Hide survey", exact: true }).press("Enter");
      const errors = slot.getByRole("switch", { name: "Error map" });
      await errors.press("Enter");
      await slot.getByRole("switch", { name: "Error map", checked: true }).waitFor();
    },
  },
  picture: { act: ({ slot }) => slot.getByRole("switch", { name: "Error map" }).press("Enter") },
};
