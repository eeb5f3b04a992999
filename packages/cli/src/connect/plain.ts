/** What comes from files and providers, without what would steer a terminal. */
export const plain = (text: string): string => text.replace(/\p{C}/gu, "");
