import { QUOTA_WARN_PERCENT, type System } from "@backplane/contract/system";
import { State } from "../parts/state.tsx";
import { Card, Unknown } from "./card.tsx";
import { quotaKind, quotaPercent, quotaWords } from "./words.ts";

export function QuotasCard({ system: { quotas } }: { system: System }) {
  return (
    <Card title="Quotas" aside={<span className="dense muted">the fullest</span>}>
      {quotas === undefined && <Unknown />}
      {quotas?.length === 0 && <p className="card-body dense muted">Nobody has files or packages yet.</p>}
      {quotas !== undefined && quotas.length > 0 && (
        <table className="table">
          <thead>
            <tr>
              <th>Owner</th>
              <th>Of what</th>
              <th className="wide-only">Used</th>
              <th className="num">Full</th>
            </tr>
          </thead>
          <tbody>
            {quotas.map((quota) => {
              const percent = quotaPercent(quota);
              return (
                <tr key={`${quota.owner} ${quota.of}`}>
                  <td>
                    <b>{quota.owner}</b>
                  </td>
                  <td>{quotaKind(quota)}</td>
                  <td className="wide-only">{quotaWords(quota)}</td>
                  <td className="num">
                    {percent >= QUOTA_WARN_PERCENT ? <State tone="warn" word={`${percent} %`} /> : `${percent} %`}
                  </td>
                </tr>
              );
            })}
          </tbody>
        </table>
      )}
    </Card>
  );
}
