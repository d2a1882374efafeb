import { expect } from 'vitest';
import { waitFor } from '#tests/support/wait-for.ts';
import { signUp } from './support/portal.ts';
import { setUpJourney } from './support/stage.ts';

const journey = setUpJourney({ SIMULATOR_SPEED: '0' });

journey(
  'a developer finds the documentation of the API beside their tokens',
  async ({ product, person }) => {
    const who = await signUp(product.address, { name: 'Toko Mawar', phone: '6281355503001' });
    const { open } = await person({ session: who.session });
    const tab = await open('/token');
    await tab.getByRole('link', { name: 'Dokumentasi API' }).click();
    await tab.getByRole('heading', { name: 'Dokumentasi API' }).waitFor();
    const first = tab.getByRole('region', { name: 'Request 1', exact: true });
    expect(await first.textContent()).toContain(`curl ${product.address}/v1/messages`);
    await tab.getByRole('link', { name: 'Errors', exact: true }).first().click();
    await tab.waitForURL(`${product.address}/docs#errors`);
    await tab.getByRole('cell', { name: 'token_missing' }).waitFor();
  },
);

journey(
  'a stranger may read it, too, wherever its chapter is asked for',
  async ({ product, person }) => {
    const { open } = await person({ width: 390 });
    const tab = await open('/docs#limits');
    const chapter = tab.getByRole('heading', { name: 'Limits' });
    await chapter.waitFor();
    await waitFor(async () => expect((await chapter.boundingBox())?.y).toBeLessThan(200));
    const wide = await tab.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );
    expect(wide).toBeLessThanOrEqual(0);

    // Loaded anew, the page stands about where it stood: its fonts may come later than it.
    const top = () => tab.evaluate(() => window.scrollY);
    await tab.goto(`${product.address}/docs`);
    await chapter.waitFor();
    await tab.evaluate(() => window.scrollTo(0, 900));
    await tab.reload();
    await waitFor(async () => expect(Math.abs((await top()) - 900)).toBeLessThan(50));

    // A link that somebody has broken opens the page all the same.
    await tab.goto('about:blank');
    await tab.goto(`${product.address}/docs#100%`);
    await tab.getByRole('heading', { name: 'Limits' }).waitFor();
  },
);
