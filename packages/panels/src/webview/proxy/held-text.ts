import { createSlots } from "@backplane/kit/slots";

/** What one page holds back because a tag, comment or run of text has not ended yet. */
export type HeldText = Disposable & {
  /** Whether it may hold this many characters. */
  need(characters: number): boolean;
};

/** Every page may hold this much. */
const FREE_CHARACTERS = 131_072;

/** Limits what all pages hold together, per person and in all. */
export function createHeldTexts(perPerson: number, inAll: number): (person: string) => HeldText {
  const slots = createSlots(perPerson, inAll);
  return (person) => {
    const releases: (() => void)[] = [];
    let taken = FREE_CHARACTERS;
    return {
      need(characters) {
        for (; taken < characters; taken *= 2) {
          const release = slots.take(person, taken);
          if (!release) return false;
          releases.push(release);
        }
        return true;
      },
      [Symbol.dispose]() {
        for (const release of releases) release();
      },
    };
  };
}
