import { Type } from "typebox";

/** The request and answer of the HTTP servers here: about the size and shape of our smaller requests. */
export const noteBody = Type.Object({
  title: Type.String({ minLength: 1, maxLength: 200 }),
  max_age: Type.Integer({ minimum: 1, maximum: 86_400 }),
  tags: Type.Array(Type.String({ maxLength: 50 }), { maxItems: 10 }),
});

export const noteAnswer = Type.Object({ id: Type.Integer(), title: Type.String(), tags: Type.Array(Type.String()) });

export const storedNote = { id: 7, title: "a note", tags: ["one", "two"] };
