import type { Customer } from '#bench/lib/customers.ts';

const AT_ONCE = 8;

/** Gives the n-th customer's token a webhook at `/n`; the address is verified as usual. */
export async function saveWebhooks(
  port: number,
  customers: readonly Customer[],
  origin: string,
): Promise<void> {
  const places = customers.entries();
  const one = async () => {
    for (const [place, { key }] of places) {
      const answer = await fetch(`http://127.0.0.1:${port}/v1/webhook`, {
        method: 'PUT',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ url: `${origin}/${place}` }),
      });
      if (!answer.ok) throw new Error(`saving a webhook: ${answer.status} ${await answer.text()}`);
      await answer.body?.cancel();
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, one));
}
