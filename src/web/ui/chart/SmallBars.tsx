import { formatNumber } from '#contract/base/money.ts';
import styles from '#web/ui/chart/chart.module.css';
import { classes } from '#web/ui/classes.ts';
import { shareOut } from '#web/ui/chart/bars.ts';

export type Series = {
  key: string;
  label: string;
  /** Charts: primary, warning, info, then patterns. */
  color: 'primary' | 'warning' | 'info' | 'success' | 'danger' | 'neutral';
  /** In the table only: rare large values would flatten all others. */
  apart?: boolean;
};

export type Bar = {
  /** Below the bar and in the table: `21 Nov`. */
  label: string;
  values: Readonly<Record<string, number>>;
};

type Column = Pick<Series, 'key' | 'label'>;

type Props = {
  title: string;
  series: readonly Series[];
  bars: readonly Bar[];
  /** The columns of the table, if its figures are not those of the segments. */
  columns?: readonly Column[];
  /** The header of the table's first column; 'Tanggal'. */
  of?: string;
  /** In px; 160. */
  height?: number;
  /** Formats the figures; by default grouped with dots. */
  format?: (value: number) => string;
};

const STEP = 20;
const WIDTH = 13;

/** Stacked bars over days. A table has the same figures for screen readers. */
export function SmallBars({ title, series, bars, of = 'Tanggal', height = 160, ...how }: Props) {
  const { format = formatNumber, columns = series } = how;
  const drawn = series.filter(({ apart }) => !apart);
  const totals = totalsOf(bars, drawn);
  const most = Math.max(0, ...totals);
  const wide = Math.max(1, bars.length) * STEP;
  return (
    <figure className="stack gap-12">
      <Legend series={drawn} />
      <div className={classes('relative', styles['plot'])}>
        <span className={classes('tiny faint num leading-none', styles['most'])} aria-hidden="true">
          {format(most)}
        </span>
        <svg
          viewBox={`0 0 ${wide} ${height}`}
          height={height}
          preserveAspectRatio="none"
          className={classes('w-full', styles['bars'])}
          aria-hidden="true"
        >
          {bars.map((bar, index) => (
            <g key={bar.label + index}>
              <title>{`${bar.label}: ${format(totals[index] ?? 0)}`}</title>
              <rect x={index * STEP} y={0} width={STEP} height={height} fill="transparent" />
              {shareOut(
                drawn.map(({ key }) => bar.values[key] ?? 0),
                most,
                height,
              ).map(({ y, height: tall }, part) => (
                <rect
                  key={drawn[part]?.key}
                  className={styles['part']}
                  data-hue={drawn[part]?.color}
                  x={index * STEP + (STEP - WIDTH) / 2}
                  y={y}
                  width={WIDTH}
                  height={tall}
                />
              ))}
            </g>
          ))}
        </svg>
        <div className="flex justify-between mt-6 tiny faint num" aria-hidden="true">
          <span>{bars.at(0)?.label}</span>
          <span>{bars.at(-1)?.label}</span>
        </div>
      </div>
      <details>
        <summary className="w-fit min-h-24 small faint pointer hover-text">Lihat angkanya</summary>
        <Figures
          {...{ title, of, columns, bars, format }}
          total={(bar) => totalsOf([bar], series)[0] ?? 0}
        />
      </details>
    </figure>
  );
}

/** Names the segments of a bar by their colours. */
export const Legend = ({ series }: { series: readonly Series[] }) => (
  <ul className="flex wrap gap-4 gap-x-16 small muted" aria-hidden="true">
    {series.map(({ key, label, color }) => (
      <li key={key} className="row gap-8" data-hue={color}>
        <span className={styles['swatch']} />
        {label}
      </li>
    ))}
  </ul>
);

const totalsOf = (bars: readonly Bar[], series: readonly Series[]): readonly number[] =>
  bars.map((bar) => series.reduce((sum, { key }) => sum + (bar.values[key] ?? 0), 0));

type FiguresProps = Required<Pick<Props, 'title' | 'of' | 'columns' | 'bars' | 'format'>> & {
  total: (bar: Bar) => number;
};

const Figures = ({ title, of, columns, bars, format, total }: FiguresProps) => (
  // Scrollable content must be focusable.
  // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
  <div
    className={classes('mt-8 border rounded', styles['scroll'])}
    tabIndex={0}
    role="region"
    aria-label={title}
  >
    <table className={classes('w-full small num text-end', styles['table'])}>
      <caption className="sr-only">{title}</caption>
      <thead>
        <tr>
          <th scope="col" className="text-start">
            {of}
          </th>
          {columns.map(({ key, label }) => (
            <th key={key} scope="col">
              {label}
            </th>
          ))}
          <th scope="col">Jumlah</th>
        </tr>
      </thead>
      <tbody>
        {bars.map((bar, index) => (
          <tr key={bar.label + index}>
            <th scope="row" className="text-start">
              {bar.label}
            </th>
            {columns.map(({ key }) => (
              <td key={key}>{format(bar.values[key] ?? 0)}</td>
            ))}
            <td>{format(total(bar))}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);
