const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

/** A Material Design icon as the path of an SVG of 24 × 24. There are thousands: loaded when one is asked for. */
export async function mdiPath(name: string): Promise<string | undefined> {
  const drawings: Readonly<Record<string, unknown>> = await import("@mdi/js");
  const key = `mdi${name.split("-").map(capital).join("")}`;
  const path = Object.hasOwn(drawings, key) ? drawings[key] : undefined;
  return typeof path === "string" ? path : undefined;
}
