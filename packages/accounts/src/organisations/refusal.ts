import { ORGANISATION_LIMITS } from "@backplane/contract/accounts";
import { Problem, type ProblemCode } from "@backplane/kit/problems";

const REFUSALS = {
  "unknown-organisation": ["not-found", "You are in no organisation of this name."],
  "unknown-member": ["not-found", "There is nobody of this name here. Check the name."],
  "not-owner": ["owner-only", "Only an owner of this organisation may do this. Ask one of them."],
  "last-owner": ["last-owner", "Make somebody else an owner first."],
  "organisation-full": ["too-many-of-these", `An organisation has at most ${ORGANISATION_LIMITS.maxMembers} members.`],
  "person-full": ["too-many-of-these", `Nobody is in more than ${ORGANISATION_LIMITS.maxPerUser} organisations.`],
} as const satisfies Record<string, readonly [ProblemCode, string]>;

export function refusal(reason: keyof typeof REFUSALS): Problem {
  const [code, detail] = REFUSALS[reason];
  return new Problem(code, { detail });
}
