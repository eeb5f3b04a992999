/** The most common reason not to start; `backplane up` says the same before it starts anything. */
export const portInUse = (name: string, port: number): string =>
  `Port ${port} is in use by another program. Stop that one, or set ${name.toUpperCase()}_PORT to another port.`;
