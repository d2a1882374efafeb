import { expect } from 'vitest';
import { test } from '#tests/support/gallery.ts';

test('a spinner has a label; with reduced motion it pulses instead of turning', async ({
  show,
}) => {
  const motion = async (still: boolean) => {
    const page = await show('spinner', { still });
    const place = page.getByRole('region', { name: 'In its place' }).getByRole('status');
    expect(await place.textContent()).toBe('Memuat…');
    return place.evaluate((one) =>
      one.getAnimations({ subtree: true }).map((animation) => ({
        changes: (animation.effect as KeyframeEffect)
          .getKeyframes()
          .flatMap((frame) => ['rotate', 'opacity'].filter((name) => name in frame)),
        lasts: animation.effect?.getComputedTiming().duration,
        endless: animation.effect?.getComputedTiming().iterations === Infinity,
      })),
    );
  };
  const [turning] = await motion(false);
  expect(turning).toMatchObject({ lasts: 800, endless: true });
  expect(new Set(turning?.changes)).toEqual(new Set(['rotate']));
  const [pulsing] = await motion(true);
  expect(pulsing).toMatchObject({ lasts: 1600, endless: true });
  expect(new Set(pulsing?.changes)).toEqual(new Set(['opacity']));
});
