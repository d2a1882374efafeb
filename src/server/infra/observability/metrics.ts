export type Sample = { labels?: Readonly<Record<string, string>>; value: number };

type Kind = 'counter' | 'gauge' | 'histogram';
type Line = Sample & { suffix?: string };
type Family = { name: string; kind: Kind; help: string; read: () => Line[] | Promise<Line[]> };

const BUCKETS_S = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export type Histogram = {
  observe(seconds: number, labels?: Readonly<Record<string, string>>): void;
};
export type Counter = { add(labels?: Readonly<Record<string, string>>, by?: number): void };

/** The metrics of this process. Labels have few values and never contain user content. */
export type Metrics = {
  counter(name: string, help: string): Counter;
  total(name: string, help: string, read: () => Sample[]): void;
  histogram(name: string, help: string): Histogram;
  gauge(name: string, help: string, read: () => Sample[] | Promise<Sample[]>): void;
  /** All metrics in Prometheus's text format. A metric that cannot be read is left out. */
  text(): Promise<string>;
};

export function openMetrics(): Metrics {
  const families: Family[] = [];
  return {
    counter(name, help) {
      const values = new Map<string, Sample & { value: number }>();
      families.push({ name, kind: 'counter', help, read: () => [...values.values()] });
      return {
        add(labels = {}, by = 1) {
          const key = written(labels);
          const sample = values.get(key);
          if (sample) sample.value += by;
          else values.set(key, { labels, value: by });
        },
      };
    },
    total(name, help, read) {
      families.push({ name, kind: 'counter', help, read });
    },
    histogram(name, help) {
      const series = new Map<string, Series>();
      families.push({ name, kind: 'histogram', help, read: () => linesOf(series) });
      return {
        observe(seconds, labels = {}) {
          const key = written(labels);
          const one = series.get(key) ?? {
            labels,
            counts: BUCKETS_S.map(() => 0),
            count: 0,
            sum: 0,
          };
          series.set(key, one);
          one.count += 1;
          one.sum += seconds;
          const place = BUCKETS_S.findIndex((most) => seconds <= most);
          if (place >= 0) one.counts[place] = (one.counts[place] ?? 0) + 1;
        },
      };
    },
    gauge(name, help, read) {
      families.push({ name, kind: 'gauge', help, read });
    },
    async text() {
      const parts = await Promise.all(families.map(textOf));
      return parts.join('');
    },
  };
}

type Series = {
  labels: Readonly<Record<string, string>>;
  counts: number[];
  count: number;
  sum: number;
};

const linesOf = (series: ReadonlyMap<string, Series>): Line[] =>
  [...series.values()].flatMap(({ labels, counts, count, sum }) => {
    let below = 0;
    const bucket = (le: string, value: number): Line => ({
      suffix: '_bucket',
      labels: { ...labels, le },
      value,
    });
    return [
      ...BUCKETS_S.map((most, place) => bucket(String(most), (below += counts[place] ?? 0))),
      bucket('+Inf', count),
      { suffix: '_sum', labels, value: sum },
      { suffix: '_count', labels, value: count },
    ];
  });

async function textOf({ name, kind, help, read }: Family): Promise<string> {
  const samples = await Promise.resolve()
    .then(read)
    .catch((): Line[] => []);
  const lines = samples.map(
    ({ suffix = '', labels, value }) => `${name}${suffix}${written(labels ?? {})} ${value}\n`,
  );
  return `# HELP ${name} ${help}\n# TYPE ${name} ${kind}\n${lines.join('')}`;
}

function written(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(
    ([name, value]) =>
      `${name}="${value.replace(/[\\"\n]/g, (odd) => (odd === '\n' ? '\\n' : `\\${odd}`))}"`,
  );
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}
