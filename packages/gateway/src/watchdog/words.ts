/** A duration for people: 42 s, 6 min, 3 h 20 min, 2 d 4 h. */
export function durationInWords(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return joined(`${hours} h`, minutes % 60, "min");
  return joined(`${Math.floor(hours / 24)} d`, hours % 24, "h");
}

const joined = (whole: string, rest: number, unit: string): string => (rest === 0 ? whole : `${whole} ${rest} ${unit}`);

const NUMBERS = ["No", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten"];

/** A count at the start of a sentence. */
export const countInWords = (count: number): string => NUMBERS[count] ?? String(count);

const two = (number: number): string => String(number).padStart(2, "0");
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** The time of day, with the date if it is not today. In this machine's time zone. */
export function timeInWords(at: Date, now: Date): string {
  const time = `${two(at.getHours())}:${two(at.getMinutes())}`;
  return at.toDateString() === now.toDateString()
    ? `${time}:${two(at.getSeconds())}`
    : `${at.getDate()} ${MONTHS[at.getMonth()]} ${time}`;
}
