import { checkToken } from '#contract/accounts.ts';
import { publicId, uuidOf } from '#contract/base/ids.ts';
import type { Sql } from '#server/infra/postgres/database.ts';
import { json } from '#server/infra/postgres/sql.ts';
import { ask, type Customer, newSender, type Sender, signUp } from './portal.ts';

export type LongThread = {
  who: Customer;
  sender: Sender;
  peer: string;
  path: string;
  /** Time of the oldest message; the others follow evenly. */
  firstAt: Date;
};

type Options = {
  messages: number;
  days: number;
  end: Date;
};

const PEER = '6281234509876';
const CHUNK = 50_000;

/**
 * Signs up a customer with a long conversation with one phone: "Pesan nomor 1" and so on, every third one from the
 * phone, one to five lines each. The newest answers the one at the end of the first tenth.
 * @param owner of the database, because only it may insert messages directly.
 */
export async function openLongThread(
  address: string,
  owner: Sql,
  { messages, days, end }: Options,
): Promise<LongThread> {
  const who = await signUp(address, { name: 'Toko Lama', phone: '6281355507801' });
  const sender = await newSender(address, who, { name: 'Kasir', phone: '6281355507802' });
  const { account_id: account } = await ask(address, checkToken, {}, who.session);
  const accountId = uuidOf('account', account);
  const tokenId = uuidOf('token', sender.id);
  if (accountId === undefined || tokenId === undefined) throw new Error('no account, no token');
  const stepMs = (days * 86_400_000) / messages;
  const firstAt = new Date(end.getTime() - (messages - 1) * stepMs);
  await owner`select ensure_message_partitions(${firstAt}, ${Math.ceil(days / 28) + 2})`;
  for (let from = 1; from <= messages; from += CHUNK) {
    const upto = Math.min(messages, from + CHUNK - 1);
    await owner`
      insert into messages (
        account_id, message_id, token_id, peer, direction, type, body, status, price, created_at
      )
      select ${accountId}, id, ${tokenId}, ${PEER}, case when i % 3 = 0 then 'in' else 'out' end, 'text',
        jsonb_build_object('text', 'Pesan nomor ' || i || '.' || repeat(' Pesanan Kakak sedang kami siapkan hari ini.', i * 7 % 5)),
        case when i % 3 = 0 then 'received' else 'read' end, 0, uuid_time(id)
      from (
        select i, overlay(
          uuid_floor(to_timestamp((${firstAt.getTime()}::float8 + (i - 1) * ${stepMs}::float8) / 1000.0))::text
          placing substr(md5(i::text), 1, 12) from 25
        )::uuid as id
        from generate_series(${from}::int, ${upto}::int) as i
      ) made`;
  }
  const nth = async (n: number) => {
    const [row] = await owner<{ message_id: string }[]>`
      select message_id from messages where account_id = ${accountId} and peer = ${PEER}
      order by message_id offset ${n - 1} limit 1`;
    return row?.message_id ?? '';
  };
  const answered = Math.round(messages / 10);
  const answer = {
    reply_to: publicId('message', await nth(answered)),
    quoted: { direction: 'out', type: 'text', text: `Pesan nomor ${answered}` },
  };
  await owner`
    update messages set body = body || ${json(answer)}
    where account_id = ${accountId} and message_id = ${await nth(messages)}`;
  await owner`
    insert into conversations (account_id, token_id, peer, peer_name, seq, last_message_id, last_at, unread)
    select account_id, token_id, peer, null, count(*), max(message_id::text)::uuid, max(created_at), 0
    from messages where account_id = ${accountId} and peer = ${PEER} group by 1, 2, 3`;
  await owner.query('vacuum analyze messages');
  const path = `/message-history?view=percakapan&open=${sender.id}&peer=${PEER}`;
  return { who, sender, peer: PEER, path, firstAt };
}
