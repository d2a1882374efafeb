import { expect } from 'vitest';
import { never, test, toPhone } from '#tests/support/app/simulated-network.ts';
import { waitFor } from '#tests/support/wait-for.ts';

test('fails only the message that no phone can store, and delivers the others of its batch', async ({
  sql,
  openNetwork,
}) => {
  const { ani, network } = await openNetwork();
  const sends = ['Halo', 'a\u0000b', 'Halo', '\uD83D'].map((text) =>
    network.send(toPhone(ani, '6281234567890', { body: { text } }), never),
  );
  const done = await Promise.allSettled(sends);
  expect(done.map(({ status }) => status)).toEqual([
    'fulfilled',
    'rejected',
    'fulfilled',
    'rejected',
  ]);
  expect(await sql`select submits from sim_lines`).toEqual([{ submits: 1 }, { submits: 1 }]);
});

test('an unwritable line or a receipt that the sink refuses affects no other', async ({
  db,
  sql,
  openNetwork,
}) => {
  const { network, sinks, receipts, ani, reported } = await openNetwork();
  await db.owner.query(`
    create function refuse() returns trigger language plpgsql as $$
    begin
      if new.phone = '628120000666' then raise exception 'broken'; end if;
      return new;
    end $$;
    create trigger refuse before insert on sim_lines for each row execute function refuse()`);
  const numbers = ['628120000001', '628120000666', '628120000002', '628120000667'];
  const messages = numbers.map((to) => toPhone(ani, to));
  const answers = await Promise.allSettled(messages.map((one) => network.send(one, never)));
  expect(answers.map(({ status }) => status)).toEqual([
    'fulfilled',
    'rejected',
    'fulfilled',
    'fulfilled',
  ]);

  const refused = messages[3]?.messageId;
  await network.start({
    ...sinks,
    receipts: async (given) => {
      await sinks.receipts(given.filter(({ messageId }) => messageId !== refused));
      return given
        .filter(({ messageId }) => messageId === refused)
        .map((item) => ({ item, error: new Error('not this one') }));
    },
  });
  const read = () =>
    new Set(receipts.filter(({ status }) => status === 'read').map((r) => r.messageId));
  const expected = new Set([messages[0]?.messageId, messages[2]?.messageId]);
  await waitFor(() => expect(read()).toEqual(expected));
  await waitFor(async () =>
    expect(await sql`select kind from sim_events where tries > 0 order by kind`).toEqual([
      { kind: 'delivered' },
      { kind: 'read' },
    ]),
  );
  expect(reported.length).toBeGreaterThan(0);
  // Stored receipts are delivered once: the sink returns the others, and none is delivered one by one.
  expect(receipts).toHaveLength(4);
});
