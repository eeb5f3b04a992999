// The last screenshots, newest first. Ids sort by time.
export const MAX_RECENT = 10;

// Answers and events overtake each other: one that is named does not go back to being named.
export const laterOf = (known, paste) => (known?.status === "named" && paste.status === "naming" ? known : paste);

export function withPaste(pastes, paste) {
  const known = pastes.find(({ id }) => id === paste.id);
  const others = pastes.filter(({ id }) => id !== paste.id);
  return [...others, laterOf(known, paste)].sort((a, b) => (a.id < b.id ? 1 : -1)).slice(0, MAX_RECENT);
}

export const withoutPaste = (pastes, id) => pastes.filter((paste) => paste.id !== id);
