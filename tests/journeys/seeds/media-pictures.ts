import type { Page } from 'playwright-core';
import type { MediaThread } from '#tests/journeys/seeds/media.ts';
import type { Picture } from '#tests/journeys/support/api-pictures.ts';
import { waitFor } from '#tests/support/wait-for.ts';

export const mediaPictures = ({ session, path }: MediaThread): Picture[] => [
  {
    name: 'percakapan-media',
    options: { session, height: 1_500 },
    path,
    before: seeMedia,
  },
  {
    name: 'percakapan-media-ponsel',
    options: { session, width: 390, height: 1_500, dark: true },
    path,
    before: seeMedia,
  },
];

async function seeMedia(tab: Page): Promise<void> {
  await tab.getByText('Siap, dua loyang.').waitFor();
  await waitFor(() =>
    tab.evaluate(() =>
      [...document.images].every(({ complete, naturalWidth }) => complete && naturalWidth > 0),
    ),
  );
  await waitFor(() =>
    tab.evaluate(() => [...document.querySelectorAll('video')].every((one) => one.readyState >= 2)),
  );
}
