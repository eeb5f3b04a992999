/** 1 file, 1,204 files */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${count.toLocaleString("en")} ${count === 1 ? one : many}`;

const numbers = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];

/** "three"; larger numbers in digits. */
export const numberWord = (count: number): string => numbers[count] ?? String(count);

/** "is the latest" → "Is the latest" */
export const sentenceCase = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1);
