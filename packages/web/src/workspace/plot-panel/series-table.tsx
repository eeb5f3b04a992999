import type { ReactNode } from "react";
import type { PlotSeries } from "../parts/plot/series.ts";
import { Swatch } from "../parts/plot/time-plot.tsx";

export type SeriesColumn<Series extends PlotSeries> = {
  head: string;
  cell: (series: Series) => ReactNode;
  look?: (series: Series) => string | undefined;
  width?: string;
  /** Left out of a narrow panel. */
  isWide?: boolean;
};

type Props<Series extends PlotSeries> = {
  label: string;
  first: string;
  series: readonly Series[];
  columns: readonly SeriesColumn<Series>[];
  picked?: string | undefined;
  /** Click on a name: hides and shows it. */
  onName: (series: Series, isAlone: boolean) => void;
  /** Beside the name, when the cells have none. */
  unitOf?: (series: Series) => string;
  nameLabel: (series: Series) => string;
};

const classes = (...names: (string | false | undefined)[]): string | undefined =>
  names.filter(Boolean).join(" ") || undefined;

/** One row per series. It is the legend, and what a screen reader reads of the plot. */
export function SeriesTable<Series extends PlotSeries>(props: Props<Series>) {
  const { label, first, series, columns, picked, onName, nameLabel, unitOf } = props;
  return (
    <section className="plot-table" aria-label={label} tabIndex={-1}>
      <table className="series-table">
        <thead>
          <tr>
            <th scope="col">{first}</th>
            {columns.map(({ head, width, isWide }) => (
              <th
                key={head}
                scope="col"
                className={classes(isWide && "wide-only", head === "State" && "words")}
                style={{ width }}
              >
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {series.map((each) => (
            <tr key={each.key} data-picked={each.key === picked} data-series={each.key}>
              <th scope="row">
                <button
                  className="series-name"
                  type="button"
                  aria-pressed={each.isShown}
                  title={nameLabel(each)}
                  onClick={(event) => onName(each, event.altKey)}
                >
                  <Swatch slot={each.slot} />
                  {each.label}
                  {unitOf && <span className="quiet">{unitOf(each)}</span>}
                </button>
              </th>
              {columns.map(({ head, cell, look, isWide }) => (
                <td key={head} className={classes(look?.(each), isWide && "wide-only")}>
                  {cell(each)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
