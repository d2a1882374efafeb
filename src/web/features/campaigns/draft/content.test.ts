import { expect, test } from 'vitest';
import type { Campaign } from '#contract/campaigns.ts';
import { contentOf, draftErrors, draftValues } from '#web/features/campaigns/draft/content.ts';

const campaign = { content: null, starts_at: null, pace: null } as Campaign;
const context = { campaign, zone: 'Asia/Jakarta', now: new Date('2026-11-26T00:00:00Z') };
const empty = draftValues(campaign, 'Asia/Jakarta');

test('a location accepts a comma or a point, and only valid coordinates', () => {
  const place = { ...empty, type: 'location', latitude: ' -6,9147', longitude: '107.6098' };
  expect(contentOf(place)).toEqual({ type: 'location', latitude: -6.9147, longitude: 107.6098 });
  expect(draftErrors(place, context)).toEqual({});
  for (const latitude of ['', 'utara', '90.1', '1e1', '0x5']) {
    expect(Object.keys(draftErrors({ ...place, latitude }, context)), latitude).toEqual([
      'latitude',
    ]);
  }
});

test('a past time and an invalid pace are reported at their fields', () => {
  const text = { ...empty, text: 'Halo' };
  expect(draftErrors(text, context)).toEqual({});
  expect(draftErrors({ ...text, when: 'later', at: '2026-11-26T06:59' }, context)).toHaveProperty(
    'at',
  );
  expect(draftErrors({ ...text, when: 'later', at: '2026-11-26T07:01' }, context)).toEqual({});
  expect(draftErrors({ ...text, pace: '0' }, context)).toHaveProperty('pace');
});
