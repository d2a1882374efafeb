import { expect, test } from 'vitest';
import { openMetrics } from './metrics.ts';

test('a histogram is one family of cumulative buckets, a sum and a count', async () => {
  const metrics = openMetrics();
  const answered = metrics.histogram('kabari_http_seconds', 'Seconds until an answer');
  for (const seconds of [0.004, 0.005, 0.2, 30]) answered.observe(seconds, { route: 'GET /' });
  answered.observe(0.3, { route: 'GET /x' });
  const text = await metrics.text();
  expect(text.match(/^# TYPE .*$/gm)).toEqual(['# TYPE kabari_http_seconds histogram']);
  expect(text.match(/^# HELP .*$/gm)).toEqual([
    '# HELP kabari_http_seconds Seconds until an answer',
  ]);
  const lines = text.split('\n').filter((line) => line.includes('route="GET /"'));
  const counts = lines.filter((line) => line.startsWith('kabari_http_seconds_bucket{'));
  expect(counts.map((line) => /le="([^"]+)"\} (\d+)$/.exec(line)?.slice(1).join(' '))).toEqual([
    '0.005 2',
    '0.01 2',
    '0.025 2',
    '0.05 2',
    '0.1 2',
    '0.25 3',
    '0.5 3',
    '1 3',
    '2.5 3',
    '5 3',
    '10 3',
    '+Inf 4',
  ]);
  expect(lines.slice(-2)).toEqual([
    'kabari_http_seconds_sum{route="GET /"} 30.209',
    'kabari_http_seconds_count{route="GET /"} 4',
  ]);
});

test('names every family once, and writes only lines that Prometheus reads', async () => {
  const metrics = openMetrics();
  metrics.counter('kabari_acts_total', 'Calls').add({ act: 'a "quoted"\\\nname' });
  metrics.gauge('kabari_broken', 'Cannot be read', () => Promise.reject(new Error('gone')));
  metrics.histogram('kabari_seconds', 'Seconds').observe(1);
  const lines = (await metrics.text()).trimEnd().split('\n');
  const sample =
    /^[a-z_]+(\{[a-z]+="(\\["\\n]|[^"\\\n])*"(,[a-z]+="(\\["\\n]|[^"\\\n])*")*\})? [\d.e+-]+$/;
  expect(lines.filter((line) => !line.startsWith('# ') && !sample.test(line))).toEqual([]);
  const named = lines.filter((line) => line.startsWith('# TYPE')).map((line) => line.split(' ')[2]);
  expect(named).toEqual(['kabari_acts_total', 'kabari_broken', 'kabari_seconds']);
});
