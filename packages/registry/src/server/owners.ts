/** Who may publish in whose name. Accounts and organisations are another area's: the platform wires them. */
export type Owners = {
  /** The id of the owner of this name, when this person may use it: themselves, or an organisation they are in. */
  resolve(userId: string, ownerName: string): Promise<string | undefined>;
  mayAct(userId: string, ownerId: string): Promise<boolean>;
  /** Undefined: the owner is gone. */
  nameOf(ownerId: string): Promise<string | undefined>;
};
