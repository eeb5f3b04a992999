const PA_PER_HPA = 100;
/** The standard atmosphere: pressure falls with height by this law up to 11 km. */
const LAPSE_PER_M = 2.25577e-5;
const EXPONENT = 5.25588;
const STANDARD_HPA = 1_013.25;

export const hpaOf = (pa: number): number => pa / PA_PER_HPA;

/** What the pressure would be at sea level. */
export const seaLevelHpa = (stationHpa: number, altitudeM: number): number =>
  stationHpa / (1 - LAPSE_PER_M * altitudeM) ** EXPONENT;

/** How high a place with this pressure is in the standard atmosphere, or with this pressure at sea level. */
export const altitudeM = (stationHpa: number, atSeaHpa = STANDARD_HPA): number =>
  (1 - (stationHpa / atSeaHpa) ** (1 / EXPONENT)) / LAPSE_PER_M;

/** Magnus, over water. */
const MAGNUS = { a: 17.62, b: 243.12 };

/** The temperature at which dew falls. NaN: humidity is not known. */
export function dewPointC(temperatureC: number, humidityPct: number): number {
  if (!(humidityPct > 0)) return Number.NaN;
  const part = Math.log(humidityPct / 100) + (MAGNUS.a * temperatureC) / (MAGNUS.b + temperatureC);
  return (MAGNUS.b * part) / (MAGNUS.a - part);
}

export type Tendency = { words: string; isStrong: boolean };

/** By the change in three hours, as weather services name it. */
export function tendencyOf(changeHpa: number): Tendency {
  const size = Math.abs(changeHpa);
  if (size < 0.1) return { words: "steady", isStrong: false };
  const verb = changeHpa < 0 ? "falls" : "rises";
  if (size < 1.6) return { words: `${verb} slowly`, isStrong: false };
  if (size < 3.5) return { words: verb, isStrong: false };
  return { words: changeHpa < 0 ? "falls fast: wind likely" : "rises fast: gusts likely", isStrong: true };
}
