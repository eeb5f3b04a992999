import { type Approval, INTENT_LIMITS } from "@backplane/contract/intents";
import { useResource } from "../calls/use-resource.ts";
import { State } from "../parts/state.tsx";
import { happened, lengthOf } from "../parts/times.ts";
import { RowName, RowTable } from "./rows.tsx";
import { EmptyList, Loaded, Section, type SectionInfo } from "./section.tsx";

export const APPROVALS: SectionInfo = { id: "approvals", title: "Recent approvals" };

/** What this person decided about programs. */
export function ApprovalsSection() {
  const approvals = useResource<{ approvals: Approval[] }>("/auth/approvals");
  const now = new Date();
  return (
    <Section info={APPROVALS}>
      <Loaded resource={approvals} what="Approvals">
        {({ approvals: list }) =>
          list.length === 0 ? (
            <EmptyList title={`No approvals in the last ${lengthOf(INTENT_LIMITS.decidedMemoryMs / 1_000)}.`}>
              When a program asks to sign in as you, your decision is listed here.
            </EmptyList>
          ) : (
            <RowTable columns={["Program", "From", "When"]} last="Decision" showLast>
              {list.map((approval) => (
                <ApprovalRow key={`${approval.decided_at} ${approval.address}`} approval={approval} now={now} />
              ))}
            </RowTable>
          )
        }
      </Loaded>
    </Section>
  );
}

function ApprovalRow({ approval, now }: { approval: Approval; now: Date }) {
  const { decision, app_name: appName, address, decided_at: decidedAt, session_id: sessionId } = approval;
  const when = happened(new Date(decidedAt), now);
  const approved = decision === "approve";
  return (
    <tr>
      <td>
        <RowName
          icon="application"
          line={appName === null ? undefined : "Name not verified"}
          narrow={`${address} · ${when}`}
        >
          {appName === null ? "Unnamed program" : <bdi>{appName}</bdi>}
        </RowName>
      </td>
      <td className="hide">
        <code>{address}</code>
      </td>
      <td className="hide nowrap">{when}</td>
      <td className="answer">
        <State tone={approved ? "ok" : "off"} word={approved ? "Approved" : "Denied"} />
        {approved && sessionId === null && <div className="row-line">session ended</div>}
      </td>
    </tr>
  );
}
