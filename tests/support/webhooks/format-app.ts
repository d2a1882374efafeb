import { expect } from 'vitest';
import type { WebhookFormat } from '#contract/webhooks.ts';
import { type CloudApp, cloudApp } from '#tests/support/dialects/cloud-app.ts';
import { test as base } from '#tests/support/app/running-app.ts';
import { type Handle, type Receiver, startReceiver } from './receiver.ts';
import { linkPhone } from '#tests/support/people/people.ts';

export type Known = { secret: string; verifyToken: string };

export type Shop = CloudApp & {
  receiver: Receiver;
  /**
   * Sets the webhook as its owner does: saves it, gives the program the shown secrets, and switches it on.
   * @param programOf creates the program from the secrets.
   */
  tell: (format: WebhookFormat, programOf: (known: Known) => Handle) => Promise<Known>;
};

/** A test with the whole application running, and a program that receives its webhooks. */
export const test = base.extend<{ receiver: Receiver; shop: Shop }>({
  // oxlint-disable-next-line no-empty-pattern -- Vitest reads which fixtures a fixture asks for.
  receiver: async ({}, use) => {
    const receiver = await startReceiver();
    await use(receiver);
    await receiver.close();
  },
  shop: async ({ openApp, db, receiver }, use) => {
    const running = await openApp({ works: true, env: { WEBHOOK_ORIGINS: receiver.origin } });
    const cloud = await cloudApp(running, db);
    const { accountId, tokenId } = cloud;
    await linkPhone(db.allAccountsSql, cloud);
    const { calls } = running.container.webhooks;
    const token = { accountId, tokenId };
    const tell: Shop['tell'] = async (format, programOf) => {
      const { webhook, secret } = await calls.save(token, { url: receiver.url, format });
      expect(webhook).toMatchObject({ state: 'off', off_reason: 'unconfirmed' });
      const known = { secret: secret ?? '', verifyToken: webhook.verify_token };
      receiver.handle(programOf(known));
      expect((await calls.setOn(token, true)).state).toBe('on');
      receiver.posts.length = 0;
      return known;
    };
    await use({ ...cloud, receiver, tell });
  },
});
